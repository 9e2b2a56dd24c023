// Starts Chromium, and observes a page while it is used.

import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test'
import { findBrowser } from '../../scripts/find-browser.ts'
import { TRACED, tasksOfTrace } from './tasks-of-trace.ts'
import { type Seen, type WatchedWindow, watchPage } from './watch-page.ts'

const SIZE = { width: 1280, height: 800 }
const PAGE_LIMIT_MS = 60_000

export const openBrowser = async (): Promise<Browser> => {
  const executablePath = findBrowser()
  if (executablePath === undefined) throw new Error('found no Chromium: run `node scripts/ensure-browser.ts`')
  return chromium.launch({
    executablePath,
    chromiumSandbox: false,
    // Shows the scroll bar, which headless browsers hide by default.
    ignoreDefaultArgs: ['--hide-scrollbars'],
    args: ['--enable-precise-memory-info', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost'],
  })
}

/** A context with an empty cache. */
export const openContext = async (browser: Browser): Promise<BrowserContext> => {
  const context = await browser.newContext({ viewport: SIZE })
  context.setDefaultTimeout(PAGE_LIMIT_MS)
  await context.addInitScript(watchPage)
  return context
}

export type Observed = Seen & {
  /** The CPU time of tasks of more than 20 ms, in ms. */
  readonly busyTasks: readonly number[]
}

/** Observes the page during `act`. */
export const observe = async (page: Page, act: () => Promise<void>): Promise<Observed> => {
  const browser = page.context().browser()!
  await collect(page)
  await browser.startTracing(page, { categories: TRACED })
  let trace: Buffer
  try {
    await act()
    await settle(page)
  } finally {
    trace = await browser.stopTracing()
  }
  return { ...(await collect(page)), busyTasks: tasksOfTrace(trace.toString('utf8')) }
}

/** Waits two frames and a task, so that running work has ended and its entries are recorded. */
const settle = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(), 100))),
      ),
  )

const collect = (page: Page): Promise<Seen> =>
  page.evaluate(() => {
    const kept = (window as WatchedWindow).benchWatch
    if (kept === undefined) throw new Error('the page is not watched')
    return {
      longTasks: kept.longTasks.splice(0),
      events: kept.events.splice(0),
      slowFrames: kept.slowFrames.splice(0),
    }
  })

/** The size of the JavaScript heap after a garbage collection. */
export const heapBytes = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page)
  try {
    // Twice, because the first one may release more objects.
    await session.send('HeapProfiler.collectGarbage')
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    return usedSize
  } finally {
    await session.detach()
  }
}
