// The Programs and actions from which the golden journals were recorded.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProgramArtifact, ServiceClient } from '#sdk/index.ts'
import { vi } from 'vitest'

export type Scenario = {
  readonly name: string
  readonly program: ProgramArtifact
  readonly input?: unknown
  /** The actions on the Execution. */
  drive(client: ServiceClient, id: string): Promise<void>
}

const example = (id: string): ProgramArtifact =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, '../../examples/artifacts', `${id}.program.json`), 'utf8'),
  ) as ProgramArtifact

const written = (id: string, body: string): ProgramArtifact => ({
  format: 'wes.program/1',
  id,
  program: { code: `({ run: async (ctx, input) => {\n${body}\n} })` },
})

const waitsFor = (client: ServiceClient, id: string, name: string) =>
  vi.waitFor(
    async () => {
      const { waitingFor } = await client.getExecution(id)
      if (!waitingFor.some((one) => one.kind === 'event' && one.name === name)) throw new Error('not yet')
    },
    { interval: 10 },
  )

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'approval',
    program: example('approval'),
    input: { requester: 'Ada', cents: 4200 },
    drive: async (client, id) => {
      await waitsFor(client, id, 'approved')
      await client.sendEvent(id, 'approved', { by: 'Grace' })
    },
  },
  {
    name: 'refund-saga-cancelled',
    program: example('refund-saga'),
    input: { orderId: 'A-7', pauseMs: 5 },
    drive: async (client, id) => {
      await waitsFor(client, id, 'delivered')
      await client.cancelExecution(id)
    },
  },
  {
    name: 'reminder-fanout',
    program: example('reminder-fanout'),
    input: { count: 8, intervalMs: 5 },
    drive: async () => undefined,
  },
  {
    name: 'clock-random-and-races',
    program: written(
      'clock-random-and-races',
      `const seen = [Date.now(), new Date().toISOString(), Math.random(), crypto.randomUUID()]
       const timeout = ctx.waitForEvent('never', { timeout: 20 }).catch((error) => error.name)
       const first = await Promise.race([ctx.waitForEvent('a'), ctx.waitForEvent('b'), ctx.sleep('1h')])
       const late = ctx.waitForEvent('a')
       seen.push(first, await timeout, Date.now() - seen[0] >= 20, Math.random())
       ctx.log.info('after the race', first)
       const failed = await ctx.effect('missing', { n: 1 }).catch((error) => error.name)
       return { seen, failed, late: await late, sorted: [3, 1, 2].toSorted(), url: new URL('/x?y=1', 'https://e.org').href }`,
    ),
    drive: async (client, id) => {
      await waitsFor(client, id, 'b')
      await client.sendEvent(id, 'b', { n: 1 })
      await client.sendEvent(id, 'a', 'taken by the wait that lost')
      await client.sendEvent(id, 'a', 'taken by the next')
    },
  },
  {
    // A release may move the lines of the guest runtime, so no frame of it may be in a stack that a Program sees.
    name: 'reported-stacks',
    program: written(
      'reported-stacks',
      `const report = (error) => ctx.effect('report', { stack: error.stack }).catch((failed) => failed)
       await report(new Error('before the first await'))
       await report(await report(new Error('after it')))
       return ctx.sleep('nonsense').catch(report).then(({ stack }) => stack)`,
    ),
    drive: async () => undefined,
  },
]
