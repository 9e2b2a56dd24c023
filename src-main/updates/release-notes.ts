// Release notes as plain text: feeds have Markdown, or HTML, which is never shown as such. Whoever writes the feed chooses their
// length, so no expression may take longer than in proportion to it.

import { beginningOf } from '../../src-runtime/shared/beginning-of.ts'

const LONGEST = 5_000

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** null if there is nothing to read. */
export const plainNotes = (notes: unknown): string | null => {
  if (typeof notes !== 'string') return null
  const text = isHtml(notes) ? withoutTags(notes) : notes
  const tidy = text
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
  if (tidy === '') return null
  return tidy.length <= LONGEST ? tidy : `${beginningOf(tidy, LONGEST).trimEnd()} …`
}

const isHtml = (text: string): boolean => /<\/?(?:p|ul|ol|li|h[1-6]|a|div|strong|em|code|pre|br)\b[^<>]*>/i.test(text)

const withoutTags = (html: string): string =>
  html
    .replaceAll(/<(script|style)\b(?:(?!<\1\b)[\s\S])*?<\/\1\s*>/gi, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<li\b[^<>]*>/gi, '\n• ')
    .replaceAll(/<(?:br|\/p|\/h[1-6]|\/ul|\/ol|\/div|\/pre|\/tr)\b[^<>]*>/gi, '\n')
    .replaceAll(/<(?:h[1-6])\b[^<>]*>/gi, '\n')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, decoded)
    .replaceAll(/^ +/gm, '')

const decoded = (whole: string, decimal?: string, hexadecimal?: string, name?: string): string => {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole
  const point = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : ''
}
