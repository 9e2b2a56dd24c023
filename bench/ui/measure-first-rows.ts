// Measures the time from the navigation to the first rows on screen.

import type { Browser, BrowserContext } from '@playwright/test'
import { sleep } from '../waiting.ts'
import { openContext } from './browser.ts'
import { TELL_FIRST_ROWS } from './watch-page.ts'

export type FirstRows = {
  /** With an empty cache, each. */
  readonly coldMs: readonly number[]
  /** With a filled cache, each. */
  readonly warmMs: readonly number[]
  /** The CPU time of the page's main thread until then, each. */
  readonly coldBusyMs: readonly number[]
}

export const measureFirstRows = async (browser: Browser, url: string, times: number): Promise<FirstRows> => {
  // The first navigation warms up the runtime and the browser, so it does not count.
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

/** Opens a tab before the measurement, because a new tab first starts a process and draws empty frames. */
const NEW_TAB_MS = 700

/** The page reports through a binding, because polling with `waitForFunction` would affect the measurement. */
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
