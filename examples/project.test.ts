// Runs the example project's own tests, and its Programs in a real runtime.

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { asEffects, createTestExecution } from 'workflow-execution-service/testing'
import { createClient, type HistoryEntry, type ServiceClient } from '../src-sdk/index.ts'
import { createRuntime } from '../src-runtime/create-runtime.ts'
import type { Runtime } from '../src-runtime/shared/runtime.ts'
import nightlyReport from './project/programs/nightly-report.ts'
import onboarding, { profileCompleted } from './project/programs/onboarding.ts'
import orderApproval, { approved } from './project/programs/order-approval.ts'
import { chargeCard, tellCustomer } from './project/programs/order-approval.effects.ts'
import { book, takeBack } from './project/programs/trip-saga.effects.ts'
import tripSaga from './project/programs/trip-saga.ts'

// What the plugin does inside the project.
vi.mock(import('./project/programs/order-approval.effects.ts'), async (original) => asEffects(await original()))
vi.mock(import('./project/programs/trip-saga.effects.ts'), async (original) => asEffects(await original()))

const FOLDER = join(import.meta.dirname, 'project')
const PROGRAMS = ['nightly-report', 'onboarding', 'order-approval', 'trip-saga']

describe('the tests of the example project', () => {
  it('pass', async () => {
    const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' }
    const { stdout } = await promisify(execFile)(process.execPath, [vitest, 'run'], { cwd: FOLDER, env })
    expect(stdout).toMatch(/Test Files {2}4 passed \(4\)/)
  })
})

describe('the Programs of the example project', () => {
  let dataDir: string
  let runtime: Runtime
  let client: ServiceClient
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'wes-example-'))
    const log = pino({ level: 'silent' })
    runtime = await createRuntime({ dataDir, port: 0, projectFolder: FOLDER, watch: false, log })
    client = createClient({ url: runtime.url })
    await vi.waitFor(async () => {
      const { items } = await client.listPrograms()
      expect(items.map(({ id }) => id)).toEqual(PROGRAMS)
    })
  })
  afterAll(async () => {
    await runtime.stop()
    await rm(dataDir, { recursive: true })
  })

  const historyOf = async (id: string): Promise<readonly HistoryEntry[]> =>
    (await client.getHistory(id, { limit: 200 })).items
  const logOf = (entries: readonly HistoryEntry[]): string =>
    entries.flatMap(({ type, data }) => (type === 'log' ? [JSON.stringify(data)] : [])).join('\n')

  it('charges an approved order at the third attempt, with the variables of its .env', async () => {
    const execution = await client.start(orderApproval, { orderId: 'o-1', cents: 4200 })
    await execution.send(approved, { by: 'Grace' })
    expect(await execution.result()).toEqual({ status: 'charged', by: 'Grace', receipt: 'receipt-o-1' })
    const history = await historyOf(execution.id)
    const charges = history.filter(({ name }) => name === 'chargeCard')
    expect(charges.map(({ type, attempt }) => [type, attempt])).toEqual([
      ['effect_scheduled', undefined],
      ['effect_attempt_failed', 1],
      ['effect_attempt_failed', 2],
      ['effect_completed', 3],
    ])
    expect(logOf(history)).toContain('charged 4200 cents with Example Pay')
    expect(logOf(history)).toContain('to the customer of o-1: approved by Grace')
  })

  it('reads 200 shops concurrently, every night, and proposes one that is soon', async () => {
    const { latestVersion } = await client.getProgram('nightly-report')
    expect(latestVersion.manifest.inputSchema).toMatchObject({ examples: [{ nights: 1, everyMs: 1_000 }] })
    const execution = await client.start(nightlyReport, { nights: 2, everyMs: 50 })
    const total = (night: number) => Array.from({ length: 200 }, (_, at) => (at + 1) * 100 + night)
    const sums = [1, 2].map((night) => total(night).reduce((sum, cents) => sum + cents, 0))
    expect(await execution.result()).toEqual({ totals: sums })
  })

  it('sends reminders, and then takes the event', async () => {
    const execution = await client.start(onboarding, { email: 'ada@example.com', remindAfterMs: 1_500 })
    await vi.waitFor(async () => {
      expect(logOf(await historyOf(execution.id))).toContain('reminder to ada@example.com')
    })
    await execution.send(profileCompleted, { name: 'Ada' })
    expect(await execution.result()).toMatchObject({ status: 'completed', name: 'Ada' })
  })

  it('cancels all bookings when one fails, and when it is cancelled', async () => {
    const failing = await client.start(tripSaga, { trip: 'the impossible trip' })
    expect(await failing.result()).toEqual({ status: 'taken-back', because: 'the tour is sold out' })

    const execution = await client.start(tripSaga, { trip: 'Rome' })
    await vi.waitFor(async () => {
      expect((await client.getExecution(execution.id)).waitingFor).toMatchObject([{ kind: 'event', name: 'confirmed' }])
    })
    await execution.cancel()
    await expect(execution.result()).rejects.toMatchObject({ code: 'execution_cancelled' })
    const log = logOf(await historyOf(execution.id))
    for (const what of ['train', 'hotel', 'tour']) expect(log).toContain(`took back the ${what} of Rome`)
  })

  describe('Executions have the same history in the testing helper', () => {
    const outline = (entries: readonly HistoryEntry[]) =>
      entries
        .filter(({ type }) => type !== 'log')
        .map(({ type, command, name, attempt }) => [type, command, name, attempt].join(' '))

    it('after failed attempts and an event', async () => {
      const input = { orderId: 'o-2', cents: 1 }
      const execution = await client.start(orderApproval, input)
      await vi.waitFor(async () => {
        expect((await client.getExecution(execution.id)).waitingFor).toMatchObject([{ kind: 'event' }])
      })
      await execution.send(approved, { by: 'Grace' })
      const result = await execution.result()

      const run = createTestExecution(orderApproval, input, { effects: { chargeCard, tellCustomer } })
      await run.send(approved, { by: 'Grace' })
      expect(await run.result()).toEqual(result)
      expect(outline(await run.history())).toEqual(outline(await historyOf(execution.id)))
    })

    it('after a cancel', async () => {
      const execution = await client.start(tripSaga, { trip: 'Rome' })
      await vi.waitFor(async () => {
        expect((await client.getExecution(execution.id)).waitingFor).toMatchObject([{ kind: 'event' }])
      })
      await execution.cancel()
      await expect(execution.result()).rejects.toMatchObject({ code: 'execution_cancelled' })

      const run = createTestExecution(tripSaga, { trip: 'Rome' }, { effects: { book, takeBack } })
      await run.cancel()
      await expect(run.result()).rejects.toMatchObject({ code: 'execution_cancelled' })
      expect(outline(await run.history())).toEqual(outline(await historyOf(execution.id)))
    })
  })
})
