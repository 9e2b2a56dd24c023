import type { Range } from './module-facts.ts'

export type Blanked = {
  /** With spaces where ranges were: whatever is left stands where it stood, but for what was inserted on its line. */
  readonly text: string
  /** What is left, and nothing of how much is not: equal for texts that differ only there. */
  readonly rest: string
  readonly insertions: readonly Insertion[]
}

/** So many characters more before what stood at an offset of the original. */
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
