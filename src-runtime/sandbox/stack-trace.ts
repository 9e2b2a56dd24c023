// Reduces stacks to the author's own frames, with lines of their source.

import { readSourceMap, type OriginalPlaceOf } from '../shared/original-place.ts'
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
/** Also one of what the bundler wrote around the author's code, which has no source. */
const FOREIGN_OR_WITHOUT_SOURCE = /^ {4}at (?:[^(]* \()?(?:wes:|program\.js:)[^\s)]*\)?/

/**
 * Also drops native frames that ours called, such as the call of a listener. Removes only the frames: in a log message, the
 * next value may follow one on the same line, and is moved up.
 */
const withoutForeignFrames = (lines: readonly string[], foreign: RegExp): string[] => {
  const kept: string[] = []
  lines.forEach((line, index) => {
    if (FRAME.test(line) && NATIVE.test(line) && foreign.test(lines[index + 1] ?? '')) return
    const rest = line.replace(foreign, '')
    if (rest === line) kept.push(line)
    else if (rest !== '') kept.push(`${kept.pop() ?? ''}${rest}`)
  })
  return kept
}

/** The one that was used last. Those of all Programs of a host would take too much memory. */
let last: { readonly sourceMap: string; readonly placeOf: OriginalPlaceOf } | undefined

/** Read at first use, because most Programs never fail. */
const placesOf = (sourceMap: string): OriginalPlaceOf => {
  if (last?.sourceMap !== sourceMap) {
    last = undefined
    last = { sourceMap, placeOf: readSourceMap(sourceMap) }
  }
  return last.placeOf
}

export const createStackMapper = (sourceMap: string): StackMapper => {
  const ofAuthor = (lines: readonly string[]): string[] => {
    let isMapped = false
    const position = (place: string, line: string, column: string): string => {
      const source = placesOf(sourceMap)(Number(line), Math.max(0, Number(column) - 1))
      isMapped ||= source !== undefined
      return source ?? place
    }
    const mapped = lines.map((line) => (FRAME.test(line) ? line.replace(POSITION, position) : line))
    return withoutForeignFrames(mapped, isMapped ? FOREIGN_OR_WITHOUT_SOURCE : FOREIGN_FRAME)
  }
  return {
    frames: (stack) =>
      ofAuthor(stack.split('\n').filter((line) => FRAME.test(line)))
        .slice(0, MOST_FRAMES)
        .join('\n'),
    text: (text) =>
      text.includes(PROGRAM_FILE) || text.includes(GUEST_FILE) ? ofAuthor(text.split('\n')).join('\n') : text,
  }
}
