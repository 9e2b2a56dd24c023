import type { Page } from '@playwright/test'

type Shift = PerformanceEntry & { readonly value: number; readonly hadRecentInput: boolean }

/** Watches the page that is open. The answer tells how much has moved since then, other than after an input: the sum of its layout shifts. */
export const watchShifts = async (page: Page): Promise<() => Promise<number>> => {
  const watched = await page.evaluateHandle(() => {
    const seen = { sum: 0 }
    const add = (entries: PerformanceEntryList) => {
      for (const entry of entries as Shift[]) if (!entry.hadRecentInput) seen.sum += entry.value
    }
    const observer = new PerformanceObserver((list) => add(list.getEntries()))
    observer.observe({ type: 'layout-shift' })
    return {
      tell: async () => {
        // Shifts are told after the frame in which they happened.
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        add(observer.takeRecords())
        return seen.sum
      },
    }
  })
  return () => watched.evaluate(({ tell }) => tell())
}
