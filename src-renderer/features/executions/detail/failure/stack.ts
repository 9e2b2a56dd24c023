// A stack as the runtime writes it: what was thrown and its frames, below it whatever caused it, each behind
// "caused by: ".

import type { JsonValue } from '#sdk/index.ts'

/** A file of the project, as a stack names it. */
export type SourcePlace = { readonly path: string; readonly line: number; readonly column: number }

export type StackLine =
  | { readonly kind: 'frame'; readonly text: string; readonly place: SourcePlace | undefined }
  | { readonly kind: 'text'; readonly text: string }

export type Thrown = { readonly headline: string; readonly lines: readonly StackLine[] }

const CAUSE = 'caused by: '
const FRAME = /^\s*at (?:.*\()?(.+?):(\d+):(\d+)\)?$/

/** The error first, then what caused it, and so on. */
export const readStack = (stack: string): readonly Thrown[] => {
  const chain: { headline: string; lines: StackLine[] }[] = []
  for (const line of stack.split('\n')) {
    if (chain.length === 0 || line.startsWith(CAUSE)) {
      const isFrame = FRAME.test(line)
      chain.push({
        headline: isFrame ? '' : line.slice(line.startsWith(CAUSE) ? CAUSE.length : 0),
        lines: isFrame ? [readLine(line)] : [],
      })
    } else if (line.trim() !== '') chain.at(-1)!.lines.push(readLine(line))
  }
  return chain
}

/** An error as the API has it: its stack may tell of its causes, or its `cause` does. */
export type ErrorLike = {
  readonly name?: string | undefined
  readonly message: string
  readonly stack?: string | undefined
  readonly cause?: ErrorLike | undefined
}

/** The error that the data of an entry holds. */
export const errorIn = (data: JsonValue | undefined): ErrorLike | undefined => {
  const error = isObject(data) ? data['error'] : undefined
  return isError(error) ? error : undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isText = (value: unknown): boolean => value === undefined || typeof value === 'string'

const isError = (value: unknown): value is ErrorLike =>
  isObject(value) &&
  typeof value['message'] === 'string' &&
  isText(value['name']) &&
  isText(value['stack']) &&
  (value['cause'] === undefined || isError(value['cause']))

const DEEPEST = 8

/** What was thrown, what caused it, and so on. */
export const errorChain = (error: ErrorLike, depth = 0): readonly Thrown[] => {
  const { name, message, stack, cause } = error
  const headline = name === undefined ? message : `${name}: ${message}`
  const told: readonly Thrown[] = stack === undefined ? [{ headline, lines: [] }] : readStack(stack)
  const [first, ...rest] = told
  const own = first?.headline === '' ? [{ ...first, headline }, ...rest] : told
  return cause === undefined || own.length > 1 || depth >= DEEPEST ? own : [...own, ...errorChain(cause, depth + 1)]
}

const readLine = (line: string): StackLine => {
  const found = FRAME.exec(line)
  if (found === null) return { kind: 'text', text: line }
  const [, path = '', row = '', column = ''] = found
  return {
    kind: 'frame',
    text: line.trim(),
    place: isSource(path) ? { path, line: Number(row), column: Number(column) } : undefined,
  }
}

/** Neither built-in modules nor the runtime's own parts, nor code without a source map, are files of the author's. */
const isSource = (path: string): boolean =>
  !/^(node|wes|file):/.test(path) && path !== 'program.js' && /[/.]/.test(path) && !path.includes('<')
