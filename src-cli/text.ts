// Text for terminals: escapes unsafe characters, measures widths, cuts lines.

/** Control characters, which can rewrite the screen, and characters that change the text direction. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Escapes what could harm a terminal in text of Programs and callers. Keeps line breaks and tabs. */
export const printable = (text: string): string =>
  text.toWellFormed().replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })

/** The same characters, but for those that `paint` writes. */
const UNSAFE_BUT_COLOURS = new RegExp(`(?!\\u001b\\[\\d+m)${UNSAFE.source}`, 'g')

/** Escapes what is left of these just before it is written to a terminal, in the way of JSON, which stays the same JSON. */
export const harmless = (text: string): string =>
  text.replace(UNSAFE_BUT_COLOURS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The same as `printable`, on one line. */
export const oneLine = (text: string): string => printable(text.replace(/\s+/g, ' ').trim())

let segmenter: Intl.Segmenter | undefined
/** Created on first use: that takes milliseconds, and most lines are ASCII. */
const graphemesOf = (line: string): Intl.Segments => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(line)
}

const ASCII = /^[\u0020-\u007e]*$/
const ZERO_WIDTH = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u
const EMOJI = /\p{Emoji_Presentation}|\u{fe0f}/u
/** East Asian Wide and Fullwidth, by block. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u

const graphemeWidth = (grapheme: string): number => {
  if (ZERO_WIDTH.test(grapheme)) return 0
  return EMOJI.test(grapheme) || WIDE.test(grapheme) ? 2 : 1
}

/** The width of a line in columns. */
export const textWidth = (line: string): number => {
  if (ASCII.test(line)) return line.length
  let width = 0
  for (const { segment } of graphemesOf(line)) width += graphemeWidth(segment)
  return width
}

/** Cuts a line to `width` columns, with an ellipsis. */
export const cut = (line: string, width: number): string => {
  if (textWidth(line) <= width) return line
  if (width < 1) return ''
  let kept = ''
  let used = 0
  for (const { segment } of graphemesOf(line)) {
    const next = graphemeWidth(segment)
    if (used + next > width - 1) break
    kept += segment
    used += next
  }
  return `${kept}…`
}

export const padEnd = (line: string, width: number): string => line + ' '.repeat(Math.max(0, width - textWidth(line)))
export const padStart = (line: string, width: number): string => ' '.repeat(Math.max(0, width - textWidth(line))) + line
