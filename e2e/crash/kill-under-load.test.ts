// kill -9 of the real process, at random moments under load, again and again: everything that was acknowledged must be
// found again, and every Execution must come to the end that its events say.

import { afterEach, expect, it, vi } from 'vitest'
import { createClient, executionHandle, ServiceRuntimeError, type ServiceClient } from '#sdk/index.ts'
import { startRuntimeProcess, type RuntimeProcess } from '../runtime-process.test-support.ts'

const ROUNDS = 6
const CALLERS = 12
const MAX_EXECUTIONS = 1_500

const TALLY = {
  format: 'wes.program/1',
  id: 'tally',
  program: {
    code: `({
      run: async (ctx, input) => {
        let sum = 0
        for (let count = 0; count < 3; count++) {
          sum += await ctx.waitForEvent('tick')
          if (count === 1) await ctx.sleep(5)
        }
        return { n: input.n, sum }
      },
    })`,
  },
} as const

type Acknowledged = {
  readonly id: string
  readonly n: number
  readonly events: Map<string, number>
  cancelled: boolean
  result?: unknown
}

let runtime: RuntimeProcess
afterEach(() => runtime.dispose())

/** What a client may see of a process that is killed, and nothing else. */
const isGone = (error: unknown): boolean => error instanceof ServiceRuntimeError && error.code === 'network_error'
const isOver = (error: unknown): boolean => error instanceof ServiceRuntimeError && error.code === 'execution_finished'

const drive = async (client: ServiceClient, started: Acknowledged[], isOn: () => boolean): Promise<void> => {
  while (isOn()) {
    const pick = started[Math.floor(Math.random() * started.length)]
    try {
      const dice = Math.random()
      if (pick === undefined || (dice < 0.3 && started.length < MAX_EXECUTIONS)) {
        const n = Math.floor(Math.random() * 1e6)
        const { id } = await client.start('tally', { n })
        started.push({ id, n, events: new Map(), cancelled: false })
      } else if (dice < 0.9) {
        const value = Math.floor(Math.random() * 100)
        const receipt = await client.sendEvent(pick.id, 'tick', value)
        pick.events.set(receipt.id, value)
      } else if (dice < 0.95) {
        await client.cancelExecution(pick.id)
        pick.cancelled = true
      } else {
        const view = await client.getResult(pick.id)
        if (view.status === 'completed') pick.result = view.result
      }
    } catch (error) {
      if (isGone(error)) return
      if (!isOver(error)) throw error
    }
  }
}

const wholeHistory = async (client: ServiceClient, id: string) => {
  const entries = []
  let cursor: string | undefined
  do {
    const page = await client.getHistory(id, { limit: 200, ...(cursor !== undefined && { cursor }) })
    entries.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return entries
}

const expectKept = async (client: ServiceClient, one: Acknowledged): Promise<void> => {
  const execution = await client.getExecution(one.id)
  expect(execution.input).toEqual({ n: one.n })
  const history = await wholeHistory(client, one.id)
  expect(history.map(({ position }) => position)).toEqual(history.map((_, index) => index + 1))
  const received = history
    .filter(({ type }) => type === 'event_received')
    .map(({ data }) => data as { id: string; payload: number })
  const ids = received.map(({ id }) => id)
  for (const id of one.events.keys()) expect(ids).toContain(id)
  if (one.cancelled) expect(execution.status).toBe('cancelled')
  const delivered = history
    .filter(({ type }) => type === 'event_delivered')
    .map(({ data }) => (data as { id: string }).id)
  // First in, first out, each once.
  expect(delivered).toEqual(ids.slice(0, delivered.length))
  if (execution.status !== 'completed') return
  const sum = received.slice(0, 3).reduce((total, { payload }) => total + payload, 0)
  expect(execution.result).toEqual({ n: one.n, sum })
  if (one.result !== undefined) expect(execution.result).toEqual(one.result)
}

/** Nobody calls any more: whatever is alive goes on by itself until it waits for the next tick. */
const expectAllToWaitForTick = (client: ServiceClient): Promise<void> =>
  vi.waitFor(
    async () => {
      const status = ['queued', 'running', 'waiting', 'cancelling'] as const
      let cursor: string | undefined
      do {
        const page = await client.listExecutions({ status, limit: 200, ...(cursor !== undefined && { cursor }) })
        for (const { id, waitingFor } of page.items) {
          expect({ id, waitingFor }).toEqual({ id, waitingFor: [expect.objectContaining({ name: 'tick' })] })
        }
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
    },
    { timeout: 15_000, interval: 200 },
  )

it('loses nothing that was acknowledged', async () => {
  runtime = await startRuntimeProcess()
  const started: Acknowledged[] = []
  await createClient({ url: runtime.url() }).deployProgram(TALLY)

  for (let round = 0; round < ROUNDS; round++) {
    let on = true
    const client = createClient({ url: runtime.url() })
    const callers = Array.from({ length: CALLERS }, () => drive(client, started, () => on))
    const enough = started.length + 20 + Math.floor(Math.random() * 120)
    while (started.length < enough) await new Promise((resolve) => setImmediate(resolve))
    await runtime.kill()
    on = false
    await Promise.all(callers)
    await runtime.start()
  }

  const client = createClient({ url: runtime.url() })
  await expectAllToWaitForTick(client)
  await Promise.all(
    started.map(async (one) => {
      for (let tick = 0; tick < 3; tick++) {
        await client.sendEvent(one.id, 'tick', 1).catch((error: unknown) => {
          if (!isOver(error)) throw error
        })
      }
    }),
  )
  const handles = await Promise.allSettled(
    started.map(({ id }) => executionHandle(client, id).result({ timeout: 20_000 })),
  )
  const odd = handles.filter(
    (outcome) => outcome.status === 'rejected' && outcome.reason.code !== 'execution_cancelled',
  )
  expect(odd).toEqual([])
  for (const one of started) await expectKept(client, one)
  expect(started.length).toBeGreaterThan(ROUNDS * 20)
}, 240_000)
