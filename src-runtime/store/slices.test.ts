import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collect, createSlices, downwards, upwards, type Span } from './slices.ts'

const busy = (ms: number): void => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

const anySpan = fc
  .tuple(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 0, max: 1_000_000 }))
  .map(([low, width]): Span => ({ low, high: low + width }))

describe('reading in slices', () => {
  it('downwards reads every key of a range once, highest first', async () => {
    await fc.assert(
      fc.asyncProperty(anySpan, async (span) => {
        const seen: Span[] = []
        await downwards(span, createSlices(), (window) => {
          seen.push(window)
          return 'go_on'
        })
        let { high } = span
        for (const window of seen) {
          expect(window.high).toBe(high)
          expect(window.low).toBeLessThan(window.high)
          high = window.low
        }
        expect(high).toBe(span.high === span.low ? span.high : span.low)
      }),
    )
  })

  it('upwards reads every key of a range once, in parts that end at `endOf`', async () => {
    await fc.assert(
      fc.asyncProperty(
        anySpan,
        fc.option(fc.integer({ min: 0, max: 50_000 }), { nil: undefined }),
        async (span, width) => {
          let { low } = span
          await upwards(
            span,
            createSlices(),
            (rest) =>
              width === undefined || rest.low + width >= rest.high ? undefined : rest.low + Math.max(width, 1_000),
            (part) => {
              expect(part.low).toBe(low)
              low = part.high
            },
          )
          expect(low).toBeGreaterThanOrEqual(span.high)
        },
      ),
    )
  })

  it('reads no window narrower than asked, although each takes long', async () => {
    const widths: number[] = []
    const look = ({ low, high }: Span) => {
      widths.push(high - low)
      busy(8)
      return 'go_on' as const
    }
    await downwards({ low: 0, high: 300_000 }, createSlices(), look, 100_000)
    expect(widths).toEqual([100_000, 100_000, 100_000])
  })

  it('collects up to a count, and reads no further', async () => {
    const looked: Span[] = []
    const found = await collect({ low: 0, high: 100_000 }, 3, createSlices(), (window, left) => {
      looked.push(window)
      return Array.from({ length: Math.min(left, 2) }, (_, index) => window.high - 1 - index)
    })
    expect(found).toHaveLength(3)
    expect(looked).toHaveLength(2)
  })

  it('yields to other work every few milliseconds', async () => {
    let others = 0
    const other = setInterval(() => (others += 1), 0)
    await downwards({ low: 0, high: 10_000 }, createSlices(), () => {
      busy(8)
      return 'go_on'
    })
    clearInterval(other)
    expect(others).toBeGreaterThan(0)
  })

  it('shrinks slices that take long', async () => {
    const widths: number[] = []
    await downwards({ low: 0, high: 40_000 }, createSlices(), ({ low, high }) => {
      widths.push(high - low)
      busy(7)
      return 'go_on'
    })
    expect(widths[1]).toBeLessThan(widths[0]!)
  })
})
