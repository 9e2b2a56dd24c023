// A real Chromium, and what is asked of it while somebody would use the page.

import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test'
import { findBrowser } from '../../scripts/find-browser.ts'
import { TRACED, tasksOfTrace } from './tasks-of-trace.ts'
import { type Seen, type WatchedWindow, watchPage } from './watch-page.ts'

const SIZE = { width: 1280, height: 800 }
const PAGE_LIMIT_MS = 60_000

export const openBrowser = async (): Promise<Browser> => {
  const executablePath = findBrowser()
  if (executablePath === undefined) throw new Error('no Chromium was found: `node scripts/ensure-browser.ts` gets one')
  return chromium.launch({
    executablePath,
    chromiumSandbox: false,
    // Dragging far means the scroll bar, which headless browsers hide unless told otherwise.
    ignoreDefaultArgs: ['--hide-scrollbars'],
    args: ['--enable-precise-memory-info', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost'],
  })
}

/** A browser of somebody who has never been here: nothing is cached. */
export const openContext = async (browser: Browser): Promise<BrowserContext> => {
  const context = await browser.newContext({ viewport: SIZE })
  context.setDefaultTimeout(PAGE_LIMIT_MS)
  await context.addInitScript(watchPage)
  return context
}

export type Observed = Seen & {
  /** Of tasks of more than 20 ms, what they took of the processor, in ms. */
  readonly busyTasks: readonly number[]
}

/** What happened in the page while something was done to it. */
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

/** Two frames and a task: whatever was under way is over, and its entries have been told. */
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

/** Bytes of JavaScript's heap that are still held after everything else was collected. */
export const heapBytes = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page)
  try {
    // Twice: what the first one frees may let go of more.
    await session.send('HeapProfiler.collectGarbage')
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    return usedSize
  } finally {
    await session.detach()
  }
}
