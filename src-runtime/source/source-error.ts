// Errors in a project's source: position, problem, and what to do.

import { relative } from 'node:path'
import { isRefused } from '../shared/stat-of.ts'
import type { SourceFiles } from './source-files.ts'

/** `line` and `column` start at 1; columns are UTF-16 units. `message` begins with `path:line:column`. */
export type SourceError = {
  /** Relative to the project folder, with forward slashes. */
  readonly path: string
  readonly line: number
  readonly column: number
  readonly message: string
  /** The source lines around the position, with a mark below it; empty if the file cannot be read. */
  readonly frame: string
  /** Files that an import names and that are missing or unreadable. Their folders are watched, to compile again once they are there. */
  readonly wanted?: readonly string[]
}

export type Place = { readonly path: string; readonly line: number; readonly column: number }

export const sourceError = (place: Place, text: string, source: string | undefined, length = 1): SourceError => ({
  ...place,
  message: `${place.path}:${place.line}:${place.column} ${text}`,
  frame: source === undefined ? '' : codeFrame(source, place.line, place.column, length),
})

/** Of a file as a whole. */
export const fileError = (files: Pick<SourceFiles, 'text'>, path: string, text: string): SourceError =>
  sourceError(startOf(path), text, files.text(path))

export const startOf = (path: string): Place => ({ path, line: 1, column: 1 })

/** That nothing in a project can be bundled, because of a file, or of the folder as a whole. */
export class CannotBundle extends Error {
  readonly file: string
  readonly why: string
  constructor(file: string, why: string) {
    super(`${file} ${why}`)
    this.file = file
    this.why = why
  }
}

/** That a path in the project folder may not be read, or that nothing can be bundled. Undefined for other errors. */
export const refusedError = (folder: string, error: unknown): SourceError | undefined => {
  if (error instanceof CannotBundle) return sourceError(startOf(nameIn(folder, error.file)), error.why, undefined)
  const { path } = error as NodeJS.ErrnoException
  if (path === undefined || !isRefused(error)) return undefined
  const name = nameIn(folder, path)
  if (name.startsWith('../')) return undefined
  return sourceError(startOf(name), 'cannot be read: check its permissions', undefined)
}

const nameIn = (folder: string, path: string): string => relative(folder, path).replaceAll('\\', '/') || '.'

/** The position of an offset in a text. */
export const placeOf = (path: string, source: string, offset: number): Place => {
  const before = source.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  let line = 1
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line++
  return { path, line, column: offset - lineStart + 1 }
}

const LINES_AROUND = 2
/** Minified dependencies have lines of a megabyte. */
const SHOWN_COLUMNS = 160

export const codeFrame = (source: string, line: number, column: number, length = 1): string => {
  const lines = source.split('\n')
  const from = Math.max(1, line - LINES_AROUND)
  const to = Math.min(lines.length, line + LINES_AROUND)
  const cutLeft = Math.max(0, Math.min(column - 1 - SHOWN_COLUMNS / 2, (lines[line - 1] ?? '').length - SHOWN_COLUMNS))
  const width = String(to).length
  const rows: string[] = []
  for (let number = from; number <= to; number++) {
    const text = (lines[number - 1] ?? '').replace(/\r$/, '').slice(cutLeft, cutLeft + SHOWN_COLUMNS)
    rows.push(
      `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${text.replaceAll('\t', ' ')}`.trimEnd(),
    )
    if (number !== line) continue
    const marked = Math.max(1, Math.min(length, text.length - (column - 1 - cutLeft)))
    rows.push(`  ${' '.repeat(width)} | ${' '.repeat(column - 1 - cutLeft)}${'^'.repeat(marked)}`)
  }
  return rows.join('\n')
}

/** Before the imports through which a module is in a bundle, at the end of a text about it. */
export const THROUGH = '\n  imported through '

/** Each once, because several bundles may contain the same module, through other imports. */
export const distinct = <One>(all: readonly One[], textOf: (one: One) => string): readonly One[] =>
  [...Map.groupBy(all, (one) => textOf(one).split(THROUGH, 1)[0]).values()].map(([first]) => first!)

/** Sorts by position, and removes duplicates. */
export const sortedErrors = (errors: readonly SourceError[]): readonly SourceError[] =>
  distinct(errors, ({ message }) => message).toSorted(
    (a, b) => compareText(a.path, b.path) || a.line - b.line || a.column - b.column,
  )

/** Compares by UTF-16 units, independent of the machine's language. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
