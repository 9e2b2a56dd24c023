// Screenshots for people to look at, in e2e/screenshots/. WES_SCREENSHOTS=0 takes none: they take about a seventh of
// the time of a test, and tests do not look at them.

import type { Page } from '@playwright/test'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../screenshots')

type Size = { readonly width: number; readonly height: number }

export const takeScreenshot = async (page: Page, name: string): Promise<void> => {
  if (process.env['WES_SCREENSHOTS'] === '0') return
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' })
}

/** In both themes: `NAME-light.png`, `NAME-dark.png` for each size. */
export const takeInSizes = async (
  page: Page,
  sizes: readonly Size[],
  nameOf: (size: Size) => string,
): Promise<void> => {
  if (process.env['WES_SCREENSHOTS'] === '0') return
  const before = page.viewportSize()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const size of sizes) {
      await page.setViewportSize(size)
      await takeScreenshot(page, `${nameOf(size)}-${colorScheme}`)
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  if (before !== null) await page.setViewportSize(before)
}
