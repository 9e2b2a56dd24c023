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
  {
    // A Program that gives a message to an effect does not replay once a release words it differently.
    name: 'reported-messages',
    program: written(
      'reported-messages',
      `const dateOf = (set) => { const date = new Date(0); set(date); return date.getTime() }
       const asked = [
         () => ctx.sleep('nonsense'), () => ctx.sleep(null), () => ctx.sleep(-1), () => ctx.sleepUntil('nonsense'),
         () => ctx.waitForEvent(''), () => ctx.waitForEvent('e', { timeout: {} }), () => ctx.effect(1),
         () => ctx.effect('e', 1n), () => ctx.effect('e', () => 1), () => ctx.effect('e', { toJSON: () => undefined }),
         () => ctx.effect('e', 'x'.repeat(2 ** 20)), () => ctx.effect('e', 1, { retry: { maxAttempts: 0 } }),
         () => Promise.any([Promise.reject(1)]), () => Promise.any([]), () => Promise.reject(new AggregateError([1])),
         () => new URL('nonsense'), () => new URLSearchParams([[1]]), () => structuredClone(), () => structuredClone(() => 1),
         () => crypto.getRandomValues([]), () => crypto.getRandomValues(new Uint8Array(65_537)), () => atob('?'),
         () => AbortSignal.abort().throwIfAborted(), () => AbortSignal.any(1), () => new AbortSignal(),
         () => dateOf((date) => date.setMonth(NaN)), () => dateOf((date) => date.setUTCHours(1, 2, 3)), () => new Date(NaN).toISOString(),
         () => new Date(0).toString(), () => Date.parse('2026-03-01'), () => (1234.5).toLocaleString('de'), () => 'ä'.localeCompare('z'),
         () => Object.assign(new Error(), { stack: undefined }).stack, () => null.x, () => undefined(), () => missing,
         () => JSON.parse('{'), () => new Array(-1), () => Symbol() + '', () => decodeURIComponent('%'), () => new RegExp('('),
       ]
       const seen = []
       for (const ask of asked) {
         seen.push(await new Promise((resolve) => resolve(ask())).then(String, (error) => error.name + ': ' + error.message))
       }
       return seen`,
    ),
    drive: async () => undefined,
  },
  {
    // How many jobs each kind of promise takes decides which of them goes on first, and so the order of commands.
    name: 'order-of-promises',
    program: written(
      'order-of-promises',
      `const order = []
       const note = (name) => (value) => order.push(name + ':' + value)
       const count = async (name) => { for (let n = 0; n < 12; n++) { await null; order.push(name + n) } }
       async function* letters() { try { yield 'a'; yield Promise.resolve('b'); yield 'c' } finally { order.push('left') } }
       const read = async () => { for await (const letter of letters()) { order.push(letter); if (letter === 'b') break } }
       const foreign = { then: (resolve) => resolve('foreign') }
       const failed = Promise.reject(1)
       await Promise.all([
         count('n'), read(), (async () => foreign)().then(note('async')), (async () => Promise.resolve(1))().then(note('inner')),
         Promise.any([failed, foreign]).then(note('any')), Promise.any([failed]).catch((error) => note('none')(error.errors)),
         Promise.race([foreign, 1]).then(note('race')), Promise.all([foreign, 1]).then(note('all')),
         Promise.allSettled([failed, 1]).then((all) => note('settled')(all.length)), Promise.try(() => foreign).then(note('try')),
         Promise.resolve(1).finally(() => order.push('finally')).then(note('after')), Array.fromAsync([foreign, 1]).then(note('list')),
         ctx.effect('missing', 1).catch((error) => note('effect')(error.name)), ctx.sleep(1).then(note('sleep')),
         ctx.effect('e', 1n).catch((error) => note('refused')(error.name)), ctx.sleep('nonsense').catch(() => order.push('no')),
       ])
       return order`,
    ),
    drive: async () => undefined,
  },
]
