// Reads that may have to look at a million rows do so a few milliseconds at a time, and let all other work go first in
// between. What they see may be newer at the end than at the beginning.

/** Half-open. */
export type Span = { readonly low: number; readonly high: number }

const BUDGET_MS = 5
const FIRST_WIDTH = 8_192
const LEAST_WIDTH = 512
/** What was empty so far may be full further down. */
const MOST_WIDTH = 262_144

export type Slices = {
  /** Lets others go first when this has taken long enough. */
  breathe(): Promise<void>
}

export const createSlices = (): Slices => {
  let begunAt = performance.now()
  return {
    breathe: async () => {
      if (performance.now() - begunAt < BUDGET_MS) return
      await new Promise((resolve) => setImmediate(resolve))
      begunAt = performance.now()
    },
  }
}

/** Window by window from the top down, as wide as goes quickly, until `look` says that it is enough. */
export const downwards = async (
  span: Span,
  slices: Slices,
  look: (window: Span) => 'go_on' | 'enough',
): Promise<void> => {
  let width = FIRST_WIDTH
  for (let high = span.high; high > span.low;) {
    const low = Math.max(span.low, high - width)
    const begunAt = performance.now()
    if (look({ low, high }) === 'enough') return
    width = nextWidth(width, performance.now() - begunAt)
    high = low
    await slices.breathe()
  }
}

/** Up to `count` items, window by window from the top down. `read` is told how many more are wanted. */
export const collect = async <Item>(
  span: Span,
  count: number,
  slices: Slices,
  read: (window: Span, left: number) => readonly Item[],
): Promise<Item[]> => {
  const found: Item[] = []
  await downwards(span, slices, (window) => {
    for (const item of read(window, count - found.length)) found.push(item)
    return found.length < count ? 'go_on' : 'enough'
  })
  return found
}

/** Part by part from the bottom up, for spans that may be empty here and full there. `endOf` says where a part ends. */
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
    await slices.breathe()
  }
}

const nextWidth = (width: number, tookMs: number): number => {
  if (tookMs < BUDGET_MS / 5) return Math.min(MOST_WIDTH, width * 4)
  if (tookMs < BUDGET_MS / 2) return Math.min(MOST_WIDTH, width * 2)
  return tookMs > BUDGET_MS ? Math.max(LEAST_WIDTH, Math.floor(width / 2)) : width
}
