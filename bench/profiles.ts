// Reads CPU profiles: which parts of the code the time was spent in, and the stacks of a flame graph.

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

type Frame = {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

type ProfileNode = { readonly id: number; readonly callFrame: Frame; readonly children?: readonly number[] }

export type CpuProfile = {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  /** µs since the sample before. */
  readonly timeDeltas: readonly number[]
}

/** Of the root first. */
export type Stack = readonly Place[]

export type Place = {
  readonly name: string
  /** The module, as a path in the sources; empty: code of Node or V8. */
  readonly module: string
  /** The part of the code that it belongs to. */
  readonly part: string
}

export type Sampled = { readonly stack: Stack; readonly us: number }

const NOT_WORKING = new Set(['(idle)', '(program)'])
const NATIVE = 'native code of Node and V8'

/** Stacks with the time in their last function. `idle` is left out; so is `(program)`, which counts waits in system calls. */
export const readProfile = (profile: CpuProfile): readonly Sampled[] => {
  const stacks = stacksOf(profile.nodes)
  const times = new Map<number, number>()
  for (const [index, id] of profile.samples.entries()) {
    times.set(id, (times.get(id) ?? 0) + (profile.timeDeltas[index] ?? 0))
  }
  return [...times].flatMap(([id, us]) => {
    const stack = stacks.get(id)
    return stack === undefined || NOT_WORKING.has(stack.at(-1)?.name ?? '') ? [] : [{ stack, us }]
  })
}

const stacksOf = (nodes: readonly ProfileNode[]): ReadonlyMap<number, Stack> => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const stacks = new Map<number, Stack>()
  const visit = (node: ProfileNode, above: Stack): void => {
    const stack = node.callFrame.functionName === '(root)' ? above : [...above, placeOf(node.callFrame, above.at(-1))]
    stacks.set(node.id, stack)
    for (const id of node.children ?? []) visit(byId.get(id)!, stack)
  }
  if (nodes[0] !== undefined) visit(nodes[0], [])
  return stacks
}

const placeOf = ({ functionName, url, lineNumber }: Frame, caller: Place | undefined): Place => {
  const name = functionName === '' ? 'anonymous' : functionName
  if (name === '(garbage collector)') return { name, module: '', part: 'garbage collection' }
  if (url === '') return { name, module: '', part: caller === undefined ? NATIVE : caller.part }
  if (url.startsWith('wasm')) return { name: 'QuickJS', module: 'quickjs.wasm', part: 'QuickJS' }
  if (url.startsWith('node:')) return { name, module: url, part: partOfNode(url) }
  const module = moduleAt(url, lineNumber)
  return { name, module, part: partOf(module) }
}

const PARTS_OF_NODE: readonly (readonly [RegExp, string])[] = [
  [/_http|internal\/http/, 'node:http'],
  [/child_process|ipc|internal\/per_context|\bv8\b|serdes/, 'node: messages between processes'],
  [/net|stream|tls|dgram/, 'node: sockets and streams'],
  [/timers|process\/task_queues|promises/, 'node: timers and tasks'],
]

const partOfNode = (url: string): string => PARTS_OF_NODE.find(([pattern]) => pattern.test(url))?.[1] ?? 'node: other'

const partOf = (module: string): string => {
  const [, ofPackage] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module) ?? []
  return ofPackage ?? /^src-[^/]+\/[^/]+/.exec(module)?.[0] ?? module
}

/** A bundle names each of its modules in a comment above it. */
const NAMES_MODULE = /^\s*\/\/ ((?:[\w@.-]+\/)+[\w@.-]+\.[cm]?[jt]s)$/

type Bundled = { readonly line: number; readonly module: string }
const bundles = new Map<string, readonly Bundled[]>()

const modulesOf = (url: string): readonly Bundled[] => {
  const known = bundles.get(url)
  if (known !== undefined) return known
  const path = url.startsWith('file:') ? fileURLToPath(url) : url
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  const found = lines.flatMap((text, line) => {
    const module = NAMES_MODULE.exec(text)?.[1]
    return module === undefined ? [] : [{ line, module }]
  })
  bundles.set(url, found)
  return found
}

const moduleAt = (url: string, line: number): string => {
  const named = modulesOf(url).findLast((one) => one.line <= line)?.module
  return named ?? url.replace(/^.*?\/((?:src-|node_modules\/|bench\/))/, '$1')
}

export type Share = { readonly name: string; readonly us: number }

/** The greatest first. */
export const sumBy = (sampled: readonly Sampled[], nameOf: (stack: Stack) => string): readonly Share[] => {
  const sums = new Map<string, number>()
  for (const { stack, us } of sampled) sums.set(nameOf(stack), (sums.get(nameOf(stack)) ?? 0) + us)
  return [...sums].map(([name, us]) => ({ name, us })).toSorted((one, other) => other.us - one.us)
}

export const partOfStack = (stack: Stack): string => stack.at(-1)?.part ?? NATIVE

/** A function of Node or V8 with the module that calls it, since its name alone says little. */
export const functionOfStack = (stack: Stack): string => {
  const last = stack.at(-1)
  if (last === undefined) return NATIVE
  if (last.module !== '') return `${last.name} (${last.module})`
  const caller = stack.findLast(({ module }) => module !== '')
  return caller === undefined ? last.name : `${last.name}, called by ${caller.name} (${caller.module})`
}
