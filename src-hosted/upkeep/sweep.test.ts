import pino from 'pino'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Dispatcher } from '../dispatch/dispatcher.ts'
import { holdWhileAway } from '../dispatch/hold-while-away.ts'
import { hostedRig } from '../store/hosted-store-rig.test-support.ts'
import { sweepExecutions } from './sweep.ts'

const rig = hostedRig()
beforeEach(() => rig.sql('UPDATE executions SET wake_at = NULL'))
const log = pino({ level: 'silent' })
const options = {
  log,
  workspaceOf: () => Promise.resolve(undefined),
  monotonic: () => performance.now(),
  tryEveryMs: 1,
}

/** A Restate that takes no message about these Executions; `sent` has what it took. */
const partly = (refuses: (executionId: string) => boolean) => {
  const sent: string[] = []
  const take = async (executionId: string): Promise<void> => {
    if (refuses(executionId)) throw new Error('this partition is away')
    sent.push(executionId)
  }
  const restate: Dispatcher = {
    poke: take,
    sweep: take,
    perform: () => Promise.resolve(),
  }
  return { sent, dispatcher: holdWhileAway(restate, options) }
}

const startOverdue = async (count: number): Promise<readonly string[]> => {
  const workspace = await rig.newWorkspace()
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) ids.push((await workspace.start()).id)
  await rig.sql('UPDATE executions SET wake_at = wes_now() - 60000 WHERE id = ANY ($1)', [ids])
  return ids
}

it('goes on when the messages that Restate did not take all belong to a part of it that is away', async () => {
  const { sent, dispatcher } = partly((id) => id.startsWith('exe_away'))
  for (const id of ['exe_away_1', 'exe_away_2', 'exe_away_3']) dispatcher.poke(id, 'event').catch(() => {})
  await vi.waitUntil(() => dispatcher.isAway)
  const ids = await startOverdue(5)
  await sweepExecutions(rig.store.engine, dispatcher)
  expect(sent).toHaveLength(1)
  expect(dispatcher.isAway).toBe(false)
  await sweepExecutions(rig.store.engine, dispatcher)
  expect(sent.toSorted()).toEqual(ids.toSorted())
  dispatcher.stop()
})

it('claims one Execution at a time while all of Restate is away', async () => {
  const { dispatcher } = partly(() => true)
  for (const id of ['exe_1', 'exe_2', 'exe_3']) dispatcher.poke(id, 'event').catch(() => {})
  await vi.waitUntil(() => dispatcher.isAway)
  const ids = await startOverdue(3)
  const unclaimed = () =>
    rig.sql('SELECT id FROM executions WHERE id = ANY ($1) AND wake_at < wes_now() - 50000', [ids])
  await sweepExecutions(rig.store.engine, dispatcher)
  expect(await unclaimed()).toHaveLength(2)
  dispatcher.stop()
})

it('leaves an Execution to the next process within 10 s, however often it was claimed while Restate was away', async () => {
  const { dispatcher } = partly(() => true)
  for (const id of ['exe_1', 'exe_2', 'exe_3']) dispatcher.poke(id, 'event').catch(() => {})
  await vi.waitUntil(() => dispatcher.isAway)
  const [id] = await startOverdue(1)
  const left = 'SELECT wake_at - wes_now() AS ms FROM executions WHERE id = $1'
  for (let swept = 0; swept < 4; swept += 1) {
    await rig.sql('UPDATE executions SET wake_at = wes_now() - 60000 WHERE id = $1', [id])
    await sweepExecutions(rig.store.engine, dispatcher)
    const [row] = await rig.sql<{ ms: number }>(left, [id])
    expect(row!.ms).toBeGreaterThan(0)
    expect(row!.ms).toBeLessThanOrEqual(10_000)
  }
  dispatcher.stop()
})

it('goes on at once while more is overdue, unless Restate is away', async () => {
  const { dispatcher } = partly(() => false)
  const overdue = (isMore: boolean) => ({ overdue: () => Promise.resolve({ ids: ['exe_1'], isMore }) })
  expect(await sweepExecutions(overdue(true), dispatcher)).toBe(true)
  expect(await sweepExecutions(overdue(false), dispatcher)).toBe(false)
  expect(await sweepExecutions(overdue(true), { ...dispatcher, isAway: true })).toBe(false)
  dispatcher.stop()
})
