// Parses the runtime's stacks: an error and its frames, then each cause after "caused by: ".

import type { JsonValue } from '#sdk/index.ts'
import { isForeign } from '../../../../parts/artifact-sources.ts'

/** A file of the project, or of a package, in a stack. */
export type SourcePlace = { readonly path: string; readonly line: number; readonly column: number }

export type StackLine =
  | { readonly kind: 'frame'; readonly text: string; readonly place: SourcePlace | undefined }
  | { readonly kind: 'text'; readonly text: string }

export type Thrown = { readonly headline: string; readonly lines: readonly StackLine[] }

const CAUSE = 'caused by: '
const FRAME = /^\s*at (?:.*\()?(.+?):(\d+):(\d+)\)?$/

/** Also a frame without a place, such as `at async Promise.all (index 0)`. */
const isFrameLine = (line: string): boolean => FRAME.test(line) || /^\s+at \S/.test(line)

/** The error first, then its causes. The lines of a message before the first frame are its headline. */
export const readStack = (stack: string): readonly Thrown[] => {
  const chain: { headline: string; lines: StackLine[] }[] = []
  for (const line of stack.split('\n')) {
    const last = chain.at(-1)
    if (last === undefined || line.startsWith(CAUSE)) {
      const isFrame = isFrameLine(line)
      chain.push({
        headline: isFrame ? '' : line.slice(line.startsWith(CAUSE) ? CAUSE.length : 0),
        lines: isFrame ? [readLine(line)] : [],
      })
    } else if (last.lines.length === 0 && last.headline !== '' && !isFrameLine(line)) last.headline += `\n${line}`
    else if (line.trim() !== '') last.lines.push(readLine(line))
  }
  return chain.map(({ headline, lines }) => ({ headline: headline.trimEnd(), lines }))
}

/** An error of the API. Its causes are in the stack, or in `cause`. */
export type ErrorLike = {
  readonly name?: string | undefined
  readonly message: string
  readonly stack?: string | undefined
  readonly cause?: ErrorLike | undefined
}

/** The error in an entry's data. */
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

/** The error and its causes. */
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

/** Built-in modules, the runtime's own modules and code without a source map are not the author's files. */
const isSource = (path: string): boolean =>
  !/^(node|wes|file):/.test(path) && path !== 'program.js' && /[/.]/.test(path) && !path.includes('<')

/** The first frame whose code can be shown: a package may have thrown, called by the author's code. -1 without any. */
export const throwSiteIn = (lines: readonly StackLine[]): number =>
  lines.findIndex((line) => line.kind === 'frame' && line.place !== undefined && !isForeign(line.place.path))
