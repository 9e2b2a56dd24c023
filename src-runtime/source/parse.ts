// Parses code. No code can end the process: what nests little is parsed here; what may nest deeply, in a thread with a stack that is
// large enough for it.

import { extname, join } from 'node:path'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { parseSync, visitorKeys, type Node, type OxcError, type ParserOptions, type Program } from 'oxc-parser'
import { rememberedOfText } from '../shared/remembered-of-text.ts'
import { ANGLES_LIMIT, BRACKETS_LIMIT, nestingOf, type Nesting } from './nesting.ts'
import type { ParsedApart, ToParse } from './parser-main.ts'

export type Parsed = {
  readonly program: Program
  readonly errors: readonly OxcError[]
  /** The ranges of its calls of import(). */
  readonly importCalls: readonly { readonly start: number; readonly end: number }[]
}

type SourceType = NonNullable<ParserOptions['sourceType']>

export type TooDeep = { readonly at: number; readonly text: string }

/** A token takes up to 1.6 KB of the stack, and a process has 1 MiB at least. */
const HERE_TOKENS = 400
/** The bundler writes fewer around the modules of a bundle. */
const AROUND_TOKENS = 50
/** What is not used of a stack takes no memory. */
const STACK_MB = 512
const FILE_TOKENS = 250_000
/** The time to parse so many that nest grows with their square. */
const STATEMENT_TOKENS = 100_000
/** The bundler takes seconds for so many functions within one another, and hours for some thousands. */
const LEVELS_LIMIT = 1_000
const LIMIT_MS = 60_000
/** A thread takes 10 MB. */
const IDLE_MS = 2_000

/** Stands for the path of a script that is a bundle. */
export const BUNDLE = 'bundle.js'

/** `path` says the language. */
export const parse = (path: string, code: string, sourceType: SourceType): Parsed => {
  const reading = readingOf(path, code, sourceType)
  if (reading.nesting.bound > HERE_TOKENS) return parseApart(reading)
  const { program, errors, module } = parseSync(path, code, { sourceType, range: false })
  return { program, errors, importCalls: module.dynamicImports }
}

/** Why code cannot be compiled, as nearly all can. Code for which there is a reason must not be parsed. */
export const tooDeep = (path: string, code: string, sourceType: SourceType): TooDeep | undefined => {
  const reading = readingOf(path, code, sourceType)
  const { bound, at, isAll, tooMany } = reading.nesting
  if (tooMany === 'brackets') return { at, text: tooDeepText(`more than ${BRACKETS_LIMIT} brackets are open`) }
  if (tooMany === 'angles') return { at, text: tooDeepText(`more than ${ANGLES_LIMIT} brackets after "<" are open`) }
  if (bound <= HERE_TOKENS) return undefined
  if (bound > (isAll ? FILE_TOKENS : STATEMENT_TOKENS)) return { at, text: isAll ? FILE_TOO_LONG : STATEMENT_TOO_LONG }
  const node = nodeBelow(parseApart(reading).program, LEVELS_LIMIT)
  return node && { at: node.start, text: tooDeepText(`the code nests more than ${LEVELS_LIMIT} levels deep`) }
}

/** Whether a part of a bundle nests so little that the bundle may be parsed here. */
export const nestsLittle = (part: string): boolean => {
  const { bound, isAll, tooMany } = readingOf(BUNDLE, part, 'script').nesting
  return tooMany === undefined && !isAll && bound <= HERE_TOKENS - AROUND_TOKENS
}

/** Of code that is only bundled, as that of packages: cheap enough for thousands of files. */
export const mayBeTooDeep = (code: string): boolean =>
  (mayOpenTooMany(code) && nestingOf(code, false).tooMany === 'brackets') || mayChainTooMany(code)

/**
 * Whether so many arrow functions may be within one another, as in `a => ({ b }) => c`: the bundler takes a minute for 3,000. One
 * ends with the bracket around it, or at a comma or semicolon there. Also counts those in texts and comments.
 */
const mayChainTooMany = (code: string): boolean => {
  if (code.split('=>').length <= BRACKETS_LIMIT) return false
  let open = 0
  /** How many are open at the begin of each bracket. */
  const around: number[] = []
  for (let at = 0; at < code.length; at += 1) {
    const sign = code[at]
    if (sign === '>' && code[at - 1] === '=') open += 1
    else if (sign === '(' || sign === '[' || sign === '{') around.push(open)
    else if (sign === ')' || sign === ']' || sign === '}') open = around.pop() ?? 0
    else if (sign === ',' || sign === ';') open = around.at(-1) ?? 0
    if (open > BRACKETS_LIMIT) return true
  }
  return false
}

/** Also counts those in texts and comments. */
const mayOpenTooMany = (code: string): boolean => {
  let open = 0
  for (let at = 0; at < code.length; at += 1) {
    const sign = code[at]
    if (sign === '(' || sign === '[' || sign === '{') open += 1
    else if (open > 0 && (sign === ')' || sign === ']' || sign === '}')) open -= 1
    if (open > BRACKETS_LIMIT) return true
  }
  return false
}

const FILE_TOO_LONG = 'the file is too long to be compiled: move a part of it into another file'
const STATEMENT_TOO_LONG = 'the statement goes on for too long to be compiled: split it up'

const tooDeepText = (what: string): string =>
  `${what} here, too many to be compiled: nest the code less, or let an effect read the data when it runs`

type Reading = {
  readonly path: string
  readonly code: string
  readonly sourceType: SourceType
  readonly nesting: Nesting
  /** Where it was parsed in the thread. */
  parsed?: Parsed
}

/** Only code of these endings holds no JSX. */
const WITHOUT_JSX = /\.[cm]?ts$/

/** A module is asked about and then parsed, so what was found out of the last one is kept. */
let last: Reading | undefined

/** Bundles share modules. */
const nestingWithoutJsx = rememberedOfText((code) => nestingOf(code, false))

const readingOf = (path: string, code: string, sourceType: SourceType): Reading => {
  if (last?.code !== code || last.path !== path || last.sourceType !== sourceType) {
    // The bundler has replaced JSX.
    const hasJsx = path !== BUNDLE && !WITHOUT_JSX.test(path)
    last = { path, code, sourceType, nesting: hasJsx ? nestingOf(code, true) : nestingWithoutJsx(code) }
  }
  return last
}

/**
 * A node that so many nodes around it begin before. Parsers read a chain of terms in a loop, so terms of one begin are one level.
 */
const nodeBelow = (program: Program, limit: number): Node | undefined => {
  const left: { readonly node: Node; readonly depth: number }[] = [{ node: program, depth: 0 }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node, depth } = next
    if (depth > limit) return node
    for (const below of nodesIn(node)) left.push({ node: below, depth: depth + (below.start === node.start ? 0 : 1) })
  }
  return undefined
}

const nodesIn = (node: Node): readonly Node[] =>
  (visitorKeys[node.type] ?? []).flatMap((key) => {
    const below = (node as unknown as Readonly<Record<string, Node | null | readonly (Node | null)[]>>)[key]
    return (below instanceof Array ? below : [below]).filter((one) => one !== null && one !== undefined)
  })

const parseApart = (reading: Reading): Parsed => {
  const { path, code, sourceType } = reading
  return (reading.parsed ??= parseInThread({ path, code, sourceType }))
}

const ENDING = extname(import.meta.filename)
/** Beside this module, in the sources and in a bundle. */
const ENTRY = join(import.meta.dirname, `parser-main${ENDING}`)

let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined

const parseInThread = (given: Omit<ToParse, 'done' | 'port'>): Parsed => {
  clearTimeout(idle)
  thread ??= startThread()
  const { port1, port2 } = new MessageChannel()
  const done = new Int32Array(new SharedArrayBuffer(4))
  thread.postMessage({ ...given, done, port: port2 } satisfies ToParse, [port2])
  if (Atomics.wait(done, 0, 0, LIMIT_MS) === 'timed-out') {
    endThread()
    throw new Error(`${given.path} was not parsed within ${LIMIT_MS / 1_000} s`)
  }
  const answer = receiveMessageOnPort(port1)?.message as ParsedApart
  port1.close()
  idle = setTimeout(endThread, IDLE_MS).unref()
  if ('error' in answer) throw new Error(`${given.path} was not parsed: ${answer.error}`)
  return { ...answer, program: JSON.parse(answer.program) as Program }
}

const startThread = (): Worker => {
  const started = new Worker(ENTRY, { env: {}, execArgv: [], resourceLimits: { stackSizeMb: STACK_MB } })
  started.unref()
  return started
}

const endThread = (): void => {
  void thread?.terminate()
  thread = undefined
}
