// Scrolls a long list like a user: with the wheel, and by dragging the scroll bar.

import type { Locator, Page } from '@playwright/test'
import { sleep } from '../waiting.ts'

/** About the interval of real wheel events. */
const WHEEL_EVERY_MS = 16
/** Half of the scroll bar's width, from the right edge. */
const BAR_PX = 7
const DRAG_STEPS = 30

export type Wheel = {
  readonly forMs: number
  /** Pixels per wheel event. */
  readonly deltaY: number
}

export const wheelOver = async (page: Page, element: Locator, { forMs, deltaY }: Wheel): Promise<void> => {
  const { x, y, width, height } = await boxOf(element)
  await page.mouse.move(x + width / 2, y + height / 2)
  const from = performance.now()
  while (performance.now() - from < forMs) {
    await page.mouse.wheel(0, deltaY)
    await sleep(WHEEL_EVERY_MS)
  }
}

/** Drags the scroll bar to each of these shares of the list, and releases it there. */
export const dragTo = async (page: Page, element: Locator, shares: readonly number[]): Promise<void> => {
  const { x, y, width, height } = await boxOf(element)
  const barX = x + width - BAR_PX
  for (const share of shares) {
    const at = await element.evaluate((one) => one.scrollTop / Math.max(1, one.scrollHeight - one.clientHeight))
    await page.mouse.move(barX, y + grip(at) * height)
    await page.mouse.down()
    await page.mouse.move(barX, y + grip(share) * height, { steps: DRAG_STEPS })
    await page.mouse.up()
    await sleep(300)
  }
}

/** The position at which to grab the bar of a very long list, as a share of its track. */
const grip = (share: number): number => 0.02 + share * 0.96

const boxOf = async (element: Locator) => {
  const box = await element.boundingBox()
  if (box === null) throw new Error('what should be scrolled is not on screen')
  return box
}

/** The scroll position, in pixels. */
export const scrolledTo = (element: Locator): Promise<number> => element.evaluate((one) => one.scrollTop)
