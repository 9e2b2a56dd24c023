// Reads a million rows in slices of a few milliseconds, and yields to all other work in between. Later slices may see
// newer data than earlier ones.

import { createYield } from '../shared/yield-to-event-loop.ts'

/** Half-open. */
export type Span = { readonly low: number; readonly high: number }

/** Empty if `low` is not below `high`. */
export const overlap = (one: Span, other: Span): Span => ({
  low: Math.max(one.low, other.low),
  high: Math.min(one.high, other.high),
})

const BUDGET_MS = 5
const FIRST_WIDTH = 8_192
const LEAST_WIDTH = 512
/** Limits the growth of windows: after an empty range, the next one may be full. */
const MOST_WIDTH = 262_144

export type Slices = {
  /** Yields to other work when the current slice has taken its time. */
  yieldIfDue(): Promise<void>
}

export const createSlices = (): Slices => ({ yieldIfDue: createYield(BUDGET_MS) })

/**
 * Reads windows from the top down until `look` returns 'enough'. A window's width adapts to the time that it takes, but
 * is never less than `leastWidth`.
 */
export const downwards = async (
  span: Span,
  slices: Slices,
  look: (window: Span) => 'go_on' | 'enough',
  leastWidth = LEAST_WIDTH,
): Promise<void> => {
  let width = Math.max(FIRST_WIDTH, leastWidth)
  for (let high = span.high; high > span.low;) {
    const low = Math.max(span.low, high - width)
    const begunAt = performance.now()
    if (look({ low, high }) === 'enough') return
    width = Math.max(leastWidth, nextWidth(width, performance.now() - begunAt))
    high = low
    await slices.yieldIfDue()
  }
}

/** Collects up to `count` items in windows from the top down. `read` gets the number of items still wanted. */
export const collect = async <Item>(
  span: Span,
  count: number,
  slices: Slices,
  read: (window: Span, left: number) => readonly Item[],
  leastWidth = LEAST_WIDTH,
): Promise<Item[]> => {
  const found: Item[] = []
  const look = (window: Span) => {
    for (const item of read(window, count - found.length)) found.push(item)
    return found.length < count ? 'go_on' : 'enough'
  }
  await downwards(span, slices, look, leastWidth)
  return found
}

/** Reads parts from the bottom up, for spans with unevenly spread keys. `endOf` returns where a part ends. */
export const upwards = async (
  span: Span,
  slices: Slices,
  endOf: (rest: Span) => number | undefined,
  look: (part: Span) => void,
): Promise<void> => {
  for (let low = span.low; low < span.high;) {
    const high = Math.max(low + 1, endOf({ low, high: span.high }) ?? span.high)
    look({ low, high })
    low = high
    await slices.yieldIfDue()
  }
}

/** Like `collect`, in parts for spans with unevenly spread keys. `startOf` returns the highest key below a part. */
export const collectParts = async <Item>(
  span: Span,
  count: number,
  slices: Slices,
  startOf: (rest: Span) => number | undefined,
  read: (part: Span, left: number) => readonly Item[],
): Promise<Item[]> => {
  const found: Item[] = []
  for (let { high } = span; high > span.low && found.length < count;) {
    const below = startOf({ low: span.low, high })
    const low = below === undefined ? span.low : Math.min(below, high - 2) + 1
    for (const item of read({ low, high }, count - found.length)) found.push(item)
    high = low
    await slices.yieldIfDue()
  }
  return found
}

const nextWidth = (width: number, tookMs: number): number => {
  if (tookMs < BUDGET_MS / 5) return Math.min(MOST_WIDTH, width * 4)
  if (tookMs < BUDGET_MS / 2) return Math.min(MOST_WIDTH, width * 2)
  return tookMs > BUDGET_MS ? Math.floor(width / 2) : width
}
