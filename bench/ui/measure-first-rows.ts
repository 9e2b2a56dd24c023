// From asking for the page to its first rows on screen.

import type { Browser, BrowserContext } from '@playwright/test'
import { openContext } from './browser.ts'
import type { WatchedWindow } from './watch-page.ts'

export type FirstRows = {
  /** Of somebody who was never here, each. */
  readonly coldMs: readonly number[]
  /** Of somebody who comes back: what may be cached is. */
  readonly warmMs: readonly number[]
}

export const measureFirstRows = async (browser: Browser, url: string, times: number): Promise<FirstRows> => {
  // The first look of all warms the runtime and the browser itself: it is nobody's everyday.
  await inContext(browser, (context) => openList(context, url))
  const coldMs: number[] = []
  for (let time = 0; time < times; time++) {
    coldMs.push(await inContext(browser, (context) => openList(context, url)))
  }
  const warmMs = await inContext(browser, async (context) => {
    const measured: number[] = []
    for (let time = 0; time <= times; time++) measured.push(await openList(context, url))
    return measured.slice(1)
  })
  return { coldMs, warmMs }
}

const openList = async (context: BrowserContext, url: string): Promise<number> => {
  const page = await context.newPage()
  try {
    await page.goto(`${url}/executions`)
    const at = await page.waitForFunction(() => (window as WatchedWindow).benchWatch?.firstRowsAt)
    return (await at.jsonValue()) ?? Number.NaN
  } finally {
    await page.close()
  }
}

const inContext = async <Result>(
  browser: Browser,
  act: (context: BrowserContext) => Promise<Result>,
): Promise<Result> => {
  const context = await openContext(browser)
  try {
    return await act(context)
  } finally {
    await context.close()
  }
}
