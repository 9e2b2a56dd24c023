// Checks that the code of uploaded effects parses, before it is stored. A process of its own parses it and evaluates
// nothing.

import { spawn } from 'node:child_process'
import { createFairPlaces, unlessAborted } from '../../src-runtime/shared/fair-places.ts'
import { readSourceMap } from '../../src-runtime/shared/original-place.ts'

export type EffectsSource = { readonly code: string; readonly sourceMap?: string }

/** Resolves to what is wrong with the code. Rejects if that cannot be known. */
export type CheckEffects = (workspaceId: string, source: EffectsSource) => Promise<string | undefined>

const AT_ONCE = 2
/** Parsing the largest artifact takes some seconds. */
const LONGEST_MS = 30_000
/**
 * Of the process, which takes more than half of it before it parses anything. Real code of 9 MB takes 0.1 GB more, and code that is
 * nothing but tiny functions 3.5 GB.
 */
const MEMORY_KB = 1_024 * 1_024
const LIMITED = ['-c', `ulimit -c 0; ulimit -d ${MEMORY_KB}; exec "$@"`, 'sh', process.execPath]
/** Without rights: code that is only parsed needs none. */
const PARSE = ['--check', '--input-type=module', '--permission', '--no-warnings', '-']

/** What Node prints: the number of the line, the line, a mark below its column, and the error. */
const LINE = /^\[stdin\]:(\d+)\n/
const COLUMN = /^.*\n.*\n([ \t]*)\^/
const ERROR = /^(?:Syntax|Range)Error: .*$/m
const TOO_LARGE = /(?:Allocation failed|heap) .*out of memory/

/** Workspaces take turns. `stopped`: the checks that are under way end, and reject. */
export const createCheckEffects = (stopped: AbortSignal): CheckEffects => {
  const places = createFairPlaces(AT_ONCE, () => AT_ONCE)

  return async (workspaceId, { code, sourceMap }) => {
    const giveBack = await places.take(workspaceId, unlessAborted(stopped))
    try {
      const { exitCode, printed } = await parse(code, stopped)
      if (exitCode === 0) return undefined
      // Node ends without waiting until a long line and what follows it are written.
      const error = ERROR.exec(printed)?.[0] ?? (LINE.test(printed) ? 'SyntaxError' : undefined)
      if (error === undefined && TOO_LARGE.test(printed)) {
        return 'The effects cannot be loaded: parsing them takes too much memory'
      }
      if (error === undefined) throw new Error(`The process that parses effects failed: ${printed.slice(0, 1_000)}`)
      return `The effects cannot be loaded: ${error}${placeIn(printed, sourceMap)}`
    } finally {
      giveBack()
    }
  }
}

const parse = (code: string, signal: AbortSignal) =>
  new Promise<{ readonly exitCode: number | null; readonly printed: string }>((resolve, reject) => {
    const child = spawn('/bin/sh', [...LIMITED, ...PARSE], {
      env: {},
      stdio: ['pipe', 'ignore', 'pipe'],
      timeout: LONGEST_MS,
      // A Ctrl-C in a terminal is for the service, which ends this process.
      detached: true,
      signal,
    })
    child.on('error', reject)
    const { stdin, stderr } = child as Partial<typeof child>
    // Where this process may open no more files, there are neither, and `error` follows.
    if (!stdin || !stderr) return
    const printed: Buffer[] = []
    stderr.on('data', (bytes: Buffer) => printed.push(bytes))
    child.on('close', (exitCode) => resolve({ exitCode, printed: Buffer.concat(printed).toString() }))
    // It may end before it has read everything; its exit says why.
    stdin.on('error', () => {})
    stdin.end(code)
  })

const placeIn = (printed: string, sourceMap: string | undefined): string => {
  const line = Number(LINE.exec(printed)?.[1])
  if (Number.isNaN(line)) return ''
  const column = COLUMN.exec(printed)?.[1]?.length
  if (column === undefined) return `\n    at effects.js:${line}`
  const found = sourceMap === undefined ? undefined : readSourceMap(sourceMap)(line, column)
  return `\n    at ${found ?? `effects.js:${line}:${column + 1}`}`
}
