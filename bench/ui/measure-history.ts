// Measures an Execution with a history of 50,000 entries: loading it, scrolling it, and its timeline of 10,000 commands.

import type { Locator, Page } from '@playwright/test'
import { heapBytes, observe, type Observed } from './browser.ts'
import { dragTo, wheelOver } from './gestures.ts'
import { sleep } from '../waiting.ts'

export type HistoryScrolling = {
  readonly reading: Observed
  /** From the navigation until it was fully loaded. */
  readonly readMs: number
  readonly timeline: Observed
  readonly zoom: Observed
  readonly timelineHeap: Heap
  readonly history: Observed
  readonly historyKeys: Observed
  readonly historyHeap: Heap
}

/** In bytes, before and after scrolling through it. */
export type Heap = { readonly before: number; readonly after: number }

export type LongHistory = { readonly id: string; readonly entries: number; readonly wheelMs: number }

export const measureHistory = async (
  page: Page,
  url: string,
  { id, entries, wheelMs }: LongHistory,
): Promise<HistoryScrolling> => {
  const from = performance.now()
  await page.goto(`${url}/executions/${id}`)
  const all = page.getByRole('status', { name: 'History read' }).getByText(`${entries.toLocaleString('en-US')} entries`)
  const reading = await observe(page, () => all.and(page.getByText(/entries$/)).waitFor())
  const readMs = performance.now() - from

  const plot = page.getByRole('grid', { name: 'Timeline' })
  await goThrough(page, plot, 1_000)
  const timelineBefore = await heapBytes(page)
  const timeline = await observe(page, () => goThrough(page, plot, wheelMs))
  const zoom = await observe(page, () => zoomAbout(page, plot))
  const timelineHeap = { before: timelineBefore, after: await heapBytes(page) }

  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByRole('button', { name: 'Full', exact: true }).click()
  const rows = page.getByRole('grid', { name: 'History' })
  await goThrough(page, rows, 1_000)
  const historyBefore = await heapBytes(page)
  const history = await observe(page, () => goThrough(page, rows, wheelMs))
  const historyKeys = await observe(page, async () => {
    await rows.focus()
    await press(page, 'End', 1)
    await press(page, 'Home', 1)
    await press(page, 'PageDown', 20)
    await press(page, 'ArrowDown', 60)
    await press(page, 'Home', 1)
  })
  const historyHeap = { before: historyBefore, after: await heapBytes(page) }
  return { reading, readMs, timeline, zoom, timelineHeap, history, historyKeys, historyHeap }
}

const goThrough = async (page: Page, element: Locator, wheelMs: number): Promise<void> => {
  await wheelOver(page, element, { forMs: wheelMs, deltaY: 400 })
  await dragTo(page, element, [0.5, 0.1, 0.9, 0.3, 1, 0])
}

/** Zooms with keys, with the wheel, by selecting a range, and back. */
const zoomAbout = async (page: Page, plot: Locator): Promise<void> => {
  await plot.focus()
  await press(page, '+', 12)
  await press(page, 'Shift+ArrowRight', 15)
  await press(page, '-', 12)
  const box = (await plot.boundingBox())!
  const [x, y] = [box.x + box.width * 0.6, box.y + box.height * 0.6]
  await page.mouse.move(x, y)
  await page.keyboard.down('Control')
  for (const deltaY of [-120, -120, -120, -120, -120, -120, 120, 120, 120]) {
    await page.mouse.wheel(0, deltaY)
    await sleep(50)
  }
  await page.keyboard.up('Control')
  await press(page, '0', 1)
  await page.mouse.down()
  await page.mouse.move(x + box.width * 0.2, y, { steps: 20 })
  await page.mouse.up()
  await wheelOver(page, plot, { forMs: 1_000, deltaY: 300 })
  await plot.focus()
  await press(page, '0', 1)
}

const press = async (page: Page, key: string, times: number): Promise<void> => {
  for (let time = 0; time < times; time++) {
    await page.keyboard.press(key)
    await sleep(30)
  }
}
