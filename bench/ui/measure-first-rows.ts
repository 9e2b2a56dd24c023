// From asking for the page to its first rows on screen.

import type { Browser, BrowserContext } from '@playwright/test'
import { sleep } from '../waiting.ts'
import { openContext } from './browser.ts'
import { TELL_FIRST_ROWS } from './watch-page.ts'

export type FirstRows = {
  /** Of somebody who was never here, each. */
  readonly coldMs: readonly number[]
  /** Of somebody who comes back: what may be cached is. */
  readonly warmMs: readonly number[]
  /** What the page's main thread took of the processor until then, each. */
  readonly coldBusyMs: readonly number[]
}

export const measureFirstRows = async (browser: Browser, url: string, times: number): Promise<FirstRows> => {
  // The first look of all warms the runtime and the browser itself: it is nobody's everyday.
  await inContext(browser, (context) => openList(context, url))
  const cold: Opened[] = []
  for (let time = 0; time < times; time++) {
    cold.push(await inContext(browser, (context) => openList(context, url)))
  }
  const warm = await inContext(browser, async (context) => {
    const opened: Opened[] = []
    for (let time = 0; time <= times; time++) opened.push(await openList(context, url))
    return opened.slice(1)
  })
  return {
    coldMs: cold.map(({ rowsAtMs }) => rowsAtMs),
    warmMs: warm.map(({ rowsAtMs }) => rowsAtMs),
    coldBusyMs: cold.map(({ busyMs }) => busyMs),
  }
}

type Opened = { readonly rowsAtMs: number; readonly busyMs: number }

/** A new tab does more than its page asks for: its process starts, its first empty frames are drawn. */
const NEW_TAB_MS = 700

/** The page tells by a binding: asking it again and again, as `waitForFunction` does, takes a share of what is measured. */
const openList = async (context: BrowserContext, url: string): Promise<Opened> => {
  const page = await context.newPage()
  try {
    const session = await context.newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    await session.send('Runtime.enable')
    await session.send('Runtime.addBinding', { name: TELL_FIRST_ROWS })
    const told = new Promise<number>((resolve) => {
      session.on('Runtime.bindingCalled', ({ name, payload }) => name === TELL_FIRST_ROWS && resolve(Number(payload)))
    })
    await sleep(NEW_TAB_MS)
    await page.goto(`${url}/executions`, { waitUntil: 'commit' })
    const rowsAtMs = await told
    const { metrics } = await session.send('Performance.getMetrics')
    const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
    return { rowsAtMs, busyMs: seconds * 1_000 }
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
