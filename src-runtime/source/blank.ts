import type { Range } from './module-facts.ts'

export type Blanked = {
  /** With spaces in place of the ranges, so that the rest keeps its position, except after insertions on a line. */
  readonly text: string
  /** The text that is left: equal for texts that differ only in the blanked ranges. */
  readonly rest: string
  readonly insertions: readonly Insertion[]
}

/** `length` characters were inserted before an offset of the original. */
export type Insertion = { readonly offset: number; readonly length: number }

export const blank = (text: string, ranges: readonly (Range & { readonly instead?: string })[]): Blanked => {
  let result = ''
  let rest = ''
  const insertions: Insertion[] = []
  let at = 0
  for (const { start, end, instead = '' } of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (start < at) continue
    const kept = text.slice(at, start) + instead
    result += kept + text.slice(start + instead.length, end).replace(/[^\r\n\u2028\u2029]/g, ' ')
    rest += `${kept}\0`
    if (instead.length > end - start) insertions.push({ offset: end, length: instead.length - (end - start) })
    at = end
  }
  return { text: result + text.slice(at), rest: rest + text.slice(at), insertions }
}
