// Finds error messages, and labels, by a part of them: hashes of their sequences of one, two and three characters stand in an
// index. Two sequences may share a hash, so the texts themselves decide.

import { inLowerCase, PARTS_ASKED, SEARCHED_CHARACTERS } from '../../src-runtime/shared/list-filters.ts'

const LONGEST = 3

/** Stands for U+0000, which PostgreSQL cannot store: a character that Unicode will never assign. */
const NUL = '\u{10FFFE}'

/** What of a message is searched. */
export const searchedText = (message: string): string => searchable(message.slice(0, SEARCHED_CHARACTERS))

/** In lower case, as far as ASCII goes: of messages, and of the texts that are looked for in them. */
export const searchable = (text: string): string => inLowerCase(text).replaceAll('\0', NUL)

/** Of a message. */
export const gramsOf = (text: string): readonly number[] => {
  const characters = [...text]
  const grams = new Set<number>()
  for (let length = 1; length <= LONGEST; length++) {
    for (let start = 0; start + length <= characters.length; start++) {
      grams.add(hash(characters.slice(start, start + length).join('')))
    }
  }
  return [...grams]
}

/** Some of those that every message with this text has. */
export const gramsAskedOf = (text: string): readonly number[] => [...new Set(partsAskedOf(text).map(hash))]

/** The same as texts. */
export const partsAskedOf = (text: string): readonly string[] => {
  const characters = [...text]
  if (characters.length === 0) return []
  const length = Math.min(LONGEST, characters.length)
  const count = characters.length - length + 1
  const step = Math.max(1, Math.ceil(count / PARTS_ASKED))
  const parts: string[] = []
  for (let start = 0; start < count; start += step) parts.push(characters.slice(start, start + length).join(''))
  return parts
}

/** FNV-1a, as a signed number of 32 bits. */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return value | 0
}
