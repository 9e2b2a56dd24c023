import pino from 'pino'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Dispatcher } from '../dispatch/dispatcher.ts'
import { holdWhileAway } from '../dispatch/hold-while-away.ts'
import { hostedRig } from '../store/hosted-store-rig.test-support.ts'
import { createScheduleSweep, sweepExecutions } from './sweep.ts'

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
  const restate: Dispatcher = {
    isAway: false,
    poke: async (executionId) => {
      if (refuses(executionId)) throw new Error('this partition is away')
      sent.push(executionId)
    },
    perform: () => Promise.resolve(),
    fireAt: () => Promise.resolve(),
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

/** Which schedules a sweep asks for. `overdue`: the times of Triggers, which the store finds. */
const scheduleSweep = () => {
  const state = { overdue: {} as Record<string, number>, now: 0, isRefused: false }
  let asked: string[] = []
  const dispatcher = {
    ...partly(() => false).dispatcher,
    fireAt: async (triggerId: string, at: number) => {
      if (state.isRefused) throw new Error('Restate is away')
      asked.push(`${triggerId} ${at}`)
    },
  }
  const found = async ({ limit }: { readonly limit: number }) =>
    Object.entries(state.overdue)
      .map(([triggerId, at]) => ({ triggerId, at }))
      .slice(0, limit)
  const sweep = createScheduleSweep({ schedules: { overdue: found } }, dispatcher, () => state.now)
  return Object.assign(state, {
    sweep: async () => {
      asked = []
      await sweep()
      return asked
    },
  })
}

it('asks once for a schedule that is late, and again only after it has fired nothing for a while', async () => {
  const late = scheduleSweep()
  late.overdue = { trg_1: 1, trg_2: 1 }
  expect(await late.sweep()).toEqual(['trg_1 1', 'trg_2 1'])
  expect(await late.sweep()).toEqual([])
  late.now = 9_000
  late.overdue = { trg_1: 1, trg_2: 2 } // it catches up by itself
  expect(await late.sweep()).toEqual([])
  late.now = 10_000
  expect(await late.sweep()).toEqual(['trg_1 1'])
  late.now = 19_000
  expect(await late.sweep()).toEqual(['trg_2 2'])
})

it('asks at once for a schedule that is late another time, and for one whose message could not be sent', async () => {
  const late = scheduleSweep()
  late.overdue = { trg_1: 1 }
  late.isRefused = true
  await expect(late.sweep()).rejects.toThrow('away')
  late.isRefused = false
  expect(await late.sweep()).toEqual(['trg_1 1'])
  late.overdue = {}
  await late.sweep()
  late.overdue = { trg_1: 2 }
  expect(await late.sweep()).toEqual(['trg_1 2'])
})

it('does not ask again for schedules that make way in a full page and come back', async () => {
  const late = scheduleSweep()
  const page = (name: string) => Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`trg_${name}${n}`, 1]))
  late.overdue = page('a')
  expect(await late.sweep()).toHaveLength(200)
  late.overdue = page('b')
  expect(await late.sweep()).toHaveLength(200)
  late.overdue = page('a')
  expect(await late.sweep()).toEqual([])
})
