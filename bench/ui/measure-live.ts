// Measures how late changes of the runtime appear on screen, and how hundreds of them per second affect the page.

import type { Page } from '@playwright/test'
import type { ServiceClient } from '../../src-sdk/create-client.ts'
import { observe, type Observed } from './browser.ts'
import { driveChanges, GATE } from './changes.ts'
import { sleep } from '../waiting.ts'

/** From sending the request to the frame that shows the change, each. */
export type Latencies = { readonly listMs: readonly number[]; readonly executionMs: readonly number[] }

export const measureLatency = async (
  page: Page,
  url: string,
  client: ServiceClient,
  changes: number,
): Promise<Latencies> => {
  await page.goto(`${url}/executions`)
  await page.getByRole('grid', { name: 'Executions' }).getByRole('link').first().waitFor()
  await page.mouse.move(5, 5)
  const listMs: number[] = []
  // Half of the changes add a row, half change one.
  for (let change = 0; change < changes / 2; change++) {
    const started = Date.now()
    const { id } = await client.start(GATE)
    const row = `[role="row"]:has(a[href$="${id}"])`
    listMs.push((await shownAt(page, row, id)) - started)
    await sleep(200 + (change % 7) * 40)
    const sent = Date.now()
    await client.sendEvent(id, 'open', {})
    listMs.push((await shownAt(page, row, 'completed')) - sent)
    await sleep(200 + (change % 5) * 40)
  }
  const executionMs: number[] = []
  for (let change = 0; change < changes / 5; change++) {
    const { id } = await client.start(GATE)
    await page.goto(`${url}/executions/${id}`)
    await page.getByRole('grid', { name: 'Timeline' }).waitFor()
    await sleep(300)
    const sent = Date.now()
    await client.sendEvent(id, 'open', {})
    executionMs.push((await shownAt(page, '#main', 'completed')) - sent)
  }
  return { listMs, executionMs }
}

/** When a matching element was painted with this text, in ms since the epoch. */
const shownAt = (page: Page, selector: string, text: string): Promise<number> =>
  page.evaluate(
    ([wanted, said]) =>
      new Promise<number>((resolve) => {
        const look = () => {
          if (document.querySelector(wanted)?.textContent?.includes(said) !== true) {
            requestAnimationFrame(look)
            return
          }
          // A task after this frame, when it is painted.
          setTimeout(() => resolve(performance.timeOrigin + performance.now()))
        }
        requestAnimationFrame(look)
      }),
    [selector, text] as const,
  )

export type Rush = Observed & { readonly perSecond: number }

/** How this many changes per second affect a screen. */
export const measureRush = async (
  page: Page,
  client: ServiceClient,
  { address, perSecond, forMs }: { readonly address: string; readonly perSecond: number; readonly forMs: number },
): Promise<Rush> => {
  await page.goto(address)
  await page.mouse.move(5, 5)
  await sleep(1_000)
  let observed: Observed | undefined
  const made = await driveChanges(client, perSecond, async () => {
    observed = await observe(page, () => sleep(forMs))
  })
  return { ...observed!, perSecond: made }
}
