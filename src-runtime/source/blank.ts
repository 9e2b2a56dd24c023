import type { Range } from './module-facts.ts'

/** The text with spaces where ranges were: whatever is left stands where it stood, so that positions stay true. */
export const blank = (text: string, ranges: readonly (Range & { readonly instead?: string })[]): string => {
  let result = ''
  let at = 0
  for (const { start, end, instead = '' } of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (start < at) continue
    result +=
      text.slice(at, start) + instead + text.slice(start + instead.length, end).replace(/[^\r\n\u2028\u2029]/g, ' ')
    at = end
  }
  return result + text.slice(at)
}
