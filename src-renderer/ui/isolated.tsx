import type { ReactNode } from 'react'
import { visible } from './visible.tsx'

/** Letters that are written from right to left: Hebrew, Arabic and their neighbours. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** A string in JSON, perhaps cut off. */
const STRING = /("(?:[^"\\]|\\.)*(?:"|$))/

/** The strings of a JSON text, at odd places, and what is between them. */
export const stringsIn = (json: string): readonly string[] => json.split(STRING)

/**
 * Parts of one text, in which those at odd places turn nothing beside them: of two Arabic words with a colon between them, the
 * first would otherwise be drawn at the right, although the text around them runs from left to right.
 */
export const isolated = (parts: readonly string[]): ReactNode => {
  const text = parts.join('')
  if (!RIGHT_TO_LEFT.test(text)) return visible(text)
  return parts.map((part, at) => (at % 2 === 0 ? visible(part) : <bdi key={at}>{visible(part)}</bdi>))
}
