// Screenshots in the sizes of a small laptop and of a phone.

import { expect, type Page } from '@playwright/test'
import { takeScreenshot } from './take-screenshots.ts'

const SIZES = [
  { width: 1024, height: 720 },
  { width: 420, height: 800 },
]

/** `e2e/screenshots/NAME-WIDTH-light.png` and three more. Fails if the page is wider than its window. */
export const takeNarrowScreenshots = async (page: Page, name: string): Promise<void> => {
  const before = page.viewportSize()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const size of SIZES) {
      await page.setViewportSize(size)
      expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(size.width)
      await takeScreenshot(page, `${name}-${size.width}-${colorScheme}`)
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  if (before !== null) await page.setViewportSize(before)
}
