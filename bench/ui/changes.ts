// Makes changes through the runtime's API at a given rate: starts Executions that wait, sends them events or cancels
// them. Counts the changes that the runtime reports.

import type { ServiceClient } from '../../src-sdk/create-client.ts'
import { sleep } from '../waiting.ts'

export const GATE = 'bench-gate'

export const deployGate = async (client: ServiceClient): Promise<void> => {
  await client.deployProgram({
    format: 'wes.program/1',
    id: GATE,
    program: { code: `({ run: async (ctx) => ctx.waitForEvent('open') })` },
  })
}

const TICK_MS = 10
/** Concurrent requests; more would only wait in the runtime. */
const MOST_UNDER_WAY = 64
/** Executions that wait before the first one gets its event. */
const MOST_WAITING = 50
/** One in this many is cancelled instead of getting its event. */
const CANCELLED = 10

/** Makes `perSecond` changes per second until `during` settles. Resolves to their number. */
export const driveChanges = async (
  client: ServiceClient,
  perSecond: number,
  during: () => Promise<void>,
): Promise<number> => {
  const over = new AbortController()
  const waiting: string[] = []
  let told = 0
  let asked = 0
  let underWay = 0
  let failure: unknown

  const act = async (): Promise<void> => {
    asked++
    const id = waiting.length > MOST_WAITING ? waiting.shift() : undefined
    if (id === undefined) waiting.push((await client.start(GATE)).id)
    else if (asked % CANCELLED === 0) await client.cancelExecution(id)
    else await client.sendEvent(id, 'open', { by: 'bench' })
  }
  const count = async (): Promise<void> => {
    for await (const { kind } of client.streamChanges({ signal: over.signal })) if (kind === 'change') told++
  }
  const drive = async (): Promise<void> => {
    const from = performance.now()
    while (!over.signal.aborted) {
      const due = ((performance.now() - from) / 1_000) * perSecond
      while (underWay < MOST_UNDER_WAY && told + underWay < due) {
        underWay++
        act()
          .catch((error: unknown) => (failure = error))
          .finally(() => underWay--)
      }
      await sleep(TICK_MS)
    }
  }
  const counting = count()
  const driving = drive()
  const from = performance.now()
  const before = told
  try {
    await during()
  } finally {
    over.abort()
    await Promise.all([counting, driving])
  }
  if (failure !== undefined) throw new Error('a change could not be made', { cause: failure })
  return (told - before) / ((performance.now() - from) / 1_000)
}
