// Searches the names and values of a JSON value, in slices that keep the page responsive.

import { isContainer, type Segment } from './json-tree.ts'

export type Matches = {
  readonly found: readonly (readonly Segment[])[]
  /** There are more matches than the limit. */
  readonly more: boolean
}

export const NO_MATCHES: Matches = { found: [], more: false }

const MOST_MATCHES = 1_000
const SLICE_MS = 8

/** Ignores case. When the signal aborts, returns the matches so far. */
export const searchJson = async (
  value: unknown,
  text: string,
  signal: AbortSignal,
  rest: () => Promise<void>,
): Promise<Matches> => {
  if (text === '') return NO_MATCHES
  const found: (readonly Segment[])[] = []
  let sliceEnd = performance.now() + SLICE_MS
  for (const segments of matchesOf(value, text.toLowerCase())) {
    if (performance.now() > sliceEnd) {
      await rest()
      if (signal.aborted) break
      sliceEnd = performance.now() + SLICE_MS
    }
    if (segments === undefined) continue
    if (found.length === MOST_MATCHES) return { found, more: true }
    found.push(segments)
  }
  return { found, more: false }
}

const CHECK_EVERY = 500

/** Yields matches, and now and then undefined so that the caller can check the time. */
function* matchesOf(value: unknown, text: string): Generator<readonly Segment[] | undefined> {
  let visited = 0
  function* visit(part: unknown, segments: readonly Segment[]): Generator<readonly Segment[] | undefined> {
    visited += 1
    if (visited % CHECK_EVERY === 0) yield undefined
    const name = segments.at(-1)
    if (typeof name === 'string' && name.toLowerCase().includes(text)) yield segments
    else if (!isContainer(part) && String(part).toLowerCase().includes(text)) yield segments
    if (!isContainer(part)) return
    if (Array.isArray(part)) {
      for (let index = 0; index < part.length; index += 1) yield* visit(part[index], [...segments, index])
    } else {
      for (const [member, inner] of Object.entries(part)) yield* visit(inner, [...segments, member])
    }
  }
  yield* visit(value, [])
}
