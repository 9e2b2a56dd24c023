// Measures scrolling through 100,000 Executions with the wheel and the scroll bar, and the memory after that.

import type { Page } from '@playwright/test'
import { heapBytes, observe, type Observed } from './browser.ts'
import { dragTo, scrolledTo, wheelOver } from './gestures.ts'
import type { Heap } from './measure-history.ts'
import { sleep } from '../waiting.ts'

export type ListScrolling = {
  readonly wheel: Observed
  readonly drag: Observed
  /** From releasing the scroll bar at the end to the rows there, because each page needs the cursor of the one before. */
  readonly endMs: number
  readonly scrolledPx: number
  readonly heap: Heap
}

export const measureList = async (page: Page, url: string, wheelMs: number): Promise<ListScrolling> => {
  await page.goto(`${url}/executions`)
  const grid = page.getByRole('grid', { name: 'Executions' })
  const loading = grid.getByRole('row', { name: 'Loading' })
  await grid.getByRole('link').first().waitFor()
  await wheelOver(page, grid, { forMs: 2_000, deltaY: 600 })
  // Scroll through the list once, because the data of 500 pages stays in memory, and is no leak.
  await dragTo(page, grid, [0.5, 0.1, 0.8, 0.3, 0.6, 1, 0])
  await sleep(500)
  const before = await heapBytes(page)

  const wheel = await observe(page, async () => {
    await wheelOver(page, grid, { forMs: wheelMs, deltaY: 400 })
    await wheelOver(page, grid, { forMs: wheelMs / 4, deltaY: -1_200 })
  })
  const scrolledPx = await scrolledTo(grid)
  const drag = await observe(page, () => dragTo(page, grid, [0.5, 0.1, 0.8, 0.3, 0.6, 1]))
  const from = performance.now()
  await loading.first().waitFor({ state: 'detached' })
  const endMs = performance.now() - from
  await dragTo(page, grid, [0])
  await sleep(500)
  return { wheel, drag, endMs, scrolledPx, heap: { before, after: await heapBytes(page) } }
}
