// Fuzzy matching: the letters of the query in order. Letters that are close together and near the beginnings of words
// score higher. Pure.

export type Fit = {
  /** Higher is better. */
  readonly score: number
  /** Positions of the matched letters, for highlighting. */
  readonly places: readonly number[]
}

const LONGEST_TEXT = 200
const LONGEST_QUERY = 50
const WORD_START = 8
const ADJACENT = 6
const MOST_GAP = 3
const BEGINNING = 100
const WORD_BEGINNING = 80

/** undefined when the text does not match. An empty query matches every text equally. */
export const fit = (query: string, text: string): Fit | undefined => {
  const typed = query.trim().toLowerCase().slice(0, LONGEST_QUERY)
  if (typed === '') return { score: 0, places: [] }
  const within = text.slice(0, LONGEST_TEXT)
  const starts = wordStarts(within)
  return wholeFit(typed, within, starts) ?? lettersFit(typed.replace(/\s+/g, ''), within.toLowerCase(), starts)
}

/** Where words begin: after anything but a letter or digit, and at a capital after a lower-case letter. */
const wordStarts = (text: string): ReadonlySet<number> =>
  new Set([...text.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]|(?<=\p{Ll})\p{Lu}/gu)].map((found) => found.index))

const wholeFit = (typed: string, text: string, starts: ReadonlySet<number>): Fit | undefined => {
  const lower = text.toLowerCase()
  const places: number[] = []
  for (let at = lower.indexOf(typed); at !== -1; at = lower.indexOf(typed, at + 1)) places.push(at)
  const at = places.find((place) => starts.has(place)) ?? places[0]
  if (at === undefined) return undefined
  const base = at === 0 ? BEGINNING : starts.has(at) ? WORD_BEGINNING : -2
  return {
    score: base + typed.length * ADJACENT - text.length / 100,
    places: Array.from({ length: typed.length }, (_, index) => at + index),
  }
}

/** Tries the first occurrence of the first letter and every word that begins with it, and takes the best. */
const lettersFit = (sought: string, text: string, starts: ReadonlySet<number>): Fit | undefined => {
  const firsts = [text.indexOf(sought[0]!), ...[...starts].filter((at) => text[at] === sought[0])]
  return firsts
    .map((from) => (from === -1 ? undefined : walk(sought, text, starts, from)))
    .reduce((best, one) => (one !== undefined && one.score > (best?.score ?? -Infinity) ? one : best), undefined)
}

const walk = (sought: string, text: string, starts: ReadonlySet<number>, from: number): Fit | undefined => {
  const places = [from]
  let score = starts.has(from) ? WORD_START : 0
  for (const letter of sought.slice(1)) {
    const last = places.at(-1)!
    const next = nextPlace(letter, text, starts, last)
    if (next === -1) return undefined
    score += next === last + 1 ? ADJACENT : -Math.min(next - last - 1, MOST_GAP)
    if (starts.has(next)) score += WORD_START
    places.push(next)
  }
  return { score: score - text.length / 100, places }
}

/** Prefers the next position, then the beginning of a word, then the next occurrence. */
const nextPlace = (letter: string, text: string, starts: ReadonlySet<number>, last: number): number => {
  if (text[last + 1] === letter) return last + 1
  for (const at of starts) if (at > last && text[at] === letter) return at
  return text.indexOf(letter, last + 1)
}
