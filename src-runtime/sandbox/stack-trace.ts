// Reduces stacks to the author's own frames, with lines of their source.

import { createRequire } from 'node:module'
import type * as SourceMaps from '@jridgewell/trace-mapping'
import { GUEST_FILE } from './guest-source.ts'
import { PROGRAM_FILE } from './template.ts'

export type StackMapper = {
  /** The author's frames of a stack, one per line; empty when there are none. */
  frames(stack: string): string
  /** Maps the frames in free text, such as a log message. */
  text(text: string): string
}

const MOST_FRAMES = 50
const FRAME = /^ {4}at (?:.*)$/
const POSITION = /program\.js:(\d+):(\d+)/
const NATIVE = /\(native\)$/
/**
 * A frame of the runtime, of the compiler's own modules, such as `wes:sdk`, or of the bundler's function that names functions,
 * without what follows it on its line.
 */
const FOREIGN_FRAME = /^ {4}at (?:(?:[^(]* \()?wes:[^\s)]*\)?|__name \(program\.js:[\d:]+\))/

/**
 * Also drops native frames that ours called, such as the call of a listener. Removes only the frames: in a log message, the
 * next value may follow one on the same line, and is moved up.
 */
const withoutForeignFrames = (lines: readonly string[]): string[] => {
  const kept: string[] = []
  lines.forEach((line, index) => {
    if (FRAME.test(line) && NATIVE.test(line) && FOREIGN_FRAME.test(lines[index + 1] ?? '')) return
    const rest = line.replace(FOREIGN_FRAME, '')
    if (rest === line) kept.push(line)
    else if (rest !== '') kept.push(`${kept.pop() ?? ''}${rest}`)
  })
  return kept
}

/** Loaded when the first Program with a source map fails, to keep the start of hosts fast. */
const loadReader = (): typeof SourceMaps =>
  createRequire(import.meta.url)('@jridgewell/trace-mapping') as typeof SourceMaps

export const createStackMapper = (sourceMap: string): StackMapper => {
  // Parsed at first use, because most Programs never fail.
  let parsed: SourceMaps.TraceMap | null | undefined
  const traceMap = (): SourceMaps.TraceMap | null => {
    if (parsed !== undefined) return parsed
    try {
      parsed = sourceMap === '' ? null : new (loadReader().TraceMap)(sourceMap)
    } catch {
      parsed = null
    }
    return parsed
  }
  /** `undefined`: the source map does not say. It may be anything that the author of the Program uploaded. */
  const original = (line: number, column: number): string | undefined => {
    const map = traceMap()
    if (map === null || line < 1) return undefined
    try {
      const found = loadReader().originalPositionFor(map, { line, column: Math.max(0, column - 1) })
      return found.source ? `${found.source}:${found.line}:${found.column + 1}` : undefined
    } catch {
      return undefined
    }
  }
  const position = (line: number, column: number): string =>
    original(line, column) ?? `${PROGRAM_FILE}:${line}:${column}`
  const mapped = (line: string): string =>
    FRAME.test(line)
      ? line.replace(POSITION, (_, row: string, column: string) => position(Number(row), Number(column)))
      : line
  const ofAuthor = (lines: readonly string[]) => withoutForeignFrames(lines.map(mapped))
  return {
    frames: (stack) =>
      ofAuthor(stack.split('\n').filter((line) => FRAME.test(line)))
        .slice(0, MOST_FRAMES)
        .join('\n'),
    text: (text) =>
      text.includes(PROGRAM_FILE) || text.includes(GUEST_FILE) ? ofAuthor(text.split('\n')).join('\n') : text,
  }
}
