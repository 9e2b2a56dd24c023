import { describe, expect, it } from 'vitest'
import type { Change } from '../../src-runtime/engine/change.ts'
import type { OpenCommand } from '../../src-runtime/engine/execution-state.ts'
import type { ExecutionError } from '../../src-runtime/engine/journal.ts'
import type { ExecutionFilter } from '../../src-runtime/ports/overview.ts'
import { createIds } from '../../src-runtime/shared/ids.ts'
import { hostedRig, type WorkspaceRig } from './hosted-store-rig.test-support.ts'

const rig = hostedRig()
const HOUR = 3_600_000

const waits = (name: string, since = rig.store.now()): Change => ({
  entries: [{ at: since, type: 'wait_scheduled', command: 1, name, data: '{}' }],
  opened: [{ kind: 'event', command: 1, name, since }],
  ...{ turns: 1, lastCommand: 1, status: 'waiting', startedAt: since },
})
const sleeps = (): Change => {
  const since = rig.store.now()
  return {
    entries: [{ at: since, type: 'timer_scheduled', command: 1, data: '{}' }],
    opened: [{ kind: 'timer', command: 1, since, dueAt: since + HOUR }],
    ...{ turns: 1, lastCommand: 1, status: 'waiting', startedAt: since },
  }
}
const backsOff = (): Change => {
  const since = rig.store.now()
  const open: OpenCommand = {
    kind: 'effect',
    command: 1,
    name: 'charge',
    since,
    attempt: 2,
    dueAt: since + HOUR,
    options: {},
  }
  return {
    entries: [{ at: since, type: 'effect_scheduled', command: 1, name: 'charge', data: '{}' }],
    ...{ opened: [open], turns: 1, lastCommand: 1, status: 'waiting', startedAt: since },
  }
}
const completes = (): Change => {
  const at = rig.store.now()
  const entries = [{ at, type: 'execution_completed', data: '{"result":7}' }] as const
  return { entries, status: 'completed', finishedAt: at, startedAt: at, turns: 1, lastCommand: 0 }
}
const fails = (message: string): Change => {
  const at = rig.store.now()
  const error: ExecutionError = { code: 'program_error', name: 'Error', message }
  const entries = [{ at, type: 'execution_failed', data: JSON.stringify({ error }) }] as const
  return { entries, status: 'failed', finishedAt: at, startedAt: at, turns: 1, lastCommand: 0, error }
}

const make = async (workspace: WorkspaceRig, change?: Change, programId = 'order'): Promise<string> => {
  const { id } = await workspace.start(programId, { data: `{"input":"of ${programId}"}` })
  if (change !== undefined) expect((await workspace.commit(id, change)).kind).toBe('committed')
  return id
}

const listed = async ({ store, projectId }: WorkspaceRig, filter: Partial<ExecutionFilter>, limit = 50) =>
  (await store.overview.list({ projectId, limit, ...filter })).items.map(({ head }) => head.id)
const counted = async ({ store, projectId }: WorkspaceRig, filter: Partial<ExecutionFilter> = {}) => {
  const counts = await store.overview.counts({ projectId, ...filter })
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))
}

/** One of each kind, oldest first. */
const shop = async () => {
  const workspace = await rig.newWorkspace()
  const queued = await make(workspace)
  const paid = await make(workspace, waits('paid'))
  const stale = await make(workspace, waits('shipped', rig.store.now() - 2 * HOUR))
  const sleeping = await make(workspace, sleeps())
  const retrying = await make(workspace, backsOff())
  const done = await make(workspace, { ...completes(), label: 'Order 8841, Anna' }, 'refund')
  const noMoney = await make(workspace, { ...fails('No MONEY for order 17'), label: 'order 17, 王芳 100%\0_' })
  const noStock = await make(workspace, fails('Out of stock'), 'refund')
  return { ...workspace, queued, paid, stale, sleeping, retrying, done, noMoney, noStock }
}

describe('a list', () => {
  it('has every Execution of the project, newest first, page by page', async () => {
    const s = await shop()
    const all = [s.noStock, s.noMoney, s.done, s.retrying, s.sleeping, s.stale, s.paid, s.queued]
    expect(await listed(s, {})).toEqual(all)
    const pages: string[] = []
    for (let beforeKey: number | undefined; ;) {
      const page = await s.store.overview.list({ projectId: s.projectId, limit: 3, ...(beforeKey && { beforeKey }) })
      pages.push(...page.items.map(({ head }) => head.id))
      if (!page.more) break
      beforeKey = page.items.at(-1)!.head.key
    }
    expect(pages).toEqual(all)
    const { items } = await s.store.overview.list({ projectId: s.projectId, limit: 8 })
    expect(items[7]).toMatchObject({ inputPreview: '"of order"', waitingFor: [] })
    expect(items[6]).toMatchObject({ waitingFor: [{ kind: 'event', name: 'paid' }] })
    expect(items[1]).toMatchObject({ error: { message: 'No MONEY for order 17' } })
  })

  it('finds an Execution once, and soon, that waits for a name thousands of times', async () => {
    const workspace = await rig.newWorkspace()
    const [first, second] = [await make(workspace, waits('a')), await make(workspace, waits('a'))]
    await rig.sql(
      `INSERT INTO pending (execution, command, kind, name, since, workspace, project, program)
       SELECT w.execution, n, w.kind, CASE WHEN n <= 4950 THEN 'a' ELSE 'b' END, w.since, w.workspace, w.project, w.program
       FROM pending w JOIN executions x ON x.key = w.execution, generate_series(2, 9900) AS n WHERE x.id = ANY ($1::text[])`,
      [[first, second]],
    )
    for (const waitingName of ['a', 'b']) {
      expect(await listed(workspace, { waitingName }, 2)).toEqual([second, first])
    }
  })

  it('takes each filter, and all of them together', async () => {
    const s = await shop()
    expect(await listed(s, { statuses: ['failed', 'queued'] })).toEqual([s.noStock, s.noMoney, s.queued])
    expect(await listed(s, { programId: 'refund' })).toEqual([s.noStock, s.done])
    expect(await listed(s, { programId: 'refund' }, 1)).toEqual([s.noStock])
    expect(await listed(s, { programId: 'none' })).toEqual([])
    expect(await listed(s, { notProgramIds: ['order'] })).toEqual([s.noStock, s.done])
    expect(await listed(s, { programId: 'refund', versionNumber: 2 })).toEqual([])
    expect(await listed(s, { waitingKind: 'timer' })).toEqual([s.sleeping])
    expect(await listed(s, { waitingKind: 'event' })).toEqual([s.stale, s.paid])
    expect(await listed(s, { waitingName: 'paid' })).toEqual([s.paid])
    expect(await listed(s, { waitingKind: 'effect', waitingName: 'charge' })).toEqual([s.retrying])
    expect(await listed(s, { waitingKind: 'effect', waitingName: 'paid' })).toEqual([])
    expect(await listed(s, { notText: 'money', statuses: ['failed'] })).toEqual([s.noStock])
    expect(await listed(s, { finishedAfter: rig.store.now() - HOUR })).toEqual([s.noStock, s.noMoney, s.done])
    expect(await listed(s, { finishedBefore: rig.store.now() - HOUR })).toEqual([])
    expect(await listed(s, { createdAfter: rig.store.now() + 1 })).toEqual([])
    expect(
      await listed(s, { createdBefore: rig.store.now() + 1, statuses: ['completed'], programId: 'refund' }),
    ).toEqual([s.done])
  })

  it('finds what runs one of several Executions again, also together with other filters', async () => {
    const s = await shop()
    const { id: again } = await s.start('order', { againOf: s.noMoney })
    const { id: twice } = await s.start('refund', { againOf: s.noMoney })
    const { id: failed } = await s.start('refund', { againOf: s.noStock })
    expect((await s.commit(failed, fails('Out of stock'))).kind).toBe('committed')
    const againOf = [s.noMoney, s.noStock]
    expect(await listed(s, { againOf })).toEqual([failed, twice, again])
    expect(await listed(s, { againOf }, 2)).toEqual([failed, twice])
    expect(await listed(s, { againOf: [s.noMoney, 'exe_none'], programId: 'order' })).toEqual([again])
    expect(await listed(s, { againOf: [s.paid] })).toEqual([])
    expect(await listed(s, { againOf, needsAttention: true })).toEqual([failed])
    expect(await listed(s, { againOf, text: twice })).toEqual([twice])
    expect(await counted(s, { againOf })).toEqual({ queued: 2, failed: 1 })
    const [group] = (await s.store.overview.errors({ projectId: s.projectId, programId: 'refund', limit: 5 })).items
    expect(await listed(s, { againOf, errorFingerprint: group!.fingerprint })).toEqual([failed])
    expect(await listed(await rig.newWorkspace(), { againOf })).toEqual([])
  })

  it('finds ids by their beginning, and errors by their text', async () => {
    const s = await shop()
    expect(await listed(s, { text: s.paid })).toEqual([s.paid])
    expect(await listed(s, { text: s.paid.slice(0, 12) })).toContain(s.paid)
    expect(await listed(s, { text: 'exe_' })).toHaveLength(8)
    expect(await listed(s, { text: 'money' })).toEqual([s.noMoney])
    expect(await listed(s, { text: 'oR' })).toEqual([s.noMoney])
    expect(await listed(s, { text: 'o' })).toEqual([s.noStock, s.noMoney])
    expect(await listed(s, { text: 'o', programId: 'refund' }, 1)).toEqual([s.noStock])
    expect(await listed(s, { text: 'moneyless' })).toEqual([])
    // Of a process that has seen a later time, before the clock was set back.
    const ahead = createIds(() => rig.store.now() + HOUR)('exe')
    await s.start('order', { id: ahead })
    expect(await listed(s, { text: ahead })).toEqual([ahead])
    expect(await listed(s, { text: ahead, programId: 'refund' })).toEqual([])
  })

  it('finds labels by a part of them', async () => {
    const s = await shop()
    expect(await listed(s, { label: 'ORDER' })).toEqual([s.noMoney, s.done])
    expect(await listed(s, { label: 'order 8841, anna' })).toEqual([s.done])
    for (const label of ['王', '王芳', '17, 王芳 1', '%', '0%\0_', '\0']) {
      expect(await listed(s, { label }), label).toEqual([s.noMoney])
    }
    for (const label of ['order_17', '%_', '00_', 'bert', 'Order 8841, Anna.', '\u{10FFFF}']) {
      expect(await listed(s, { label }), label).toEqual([])
    }
    expect(await listed(s, { label: 'order', text: 'money' })).toEqual([s.noMoney])
    expect(await listed(s, { label: 'order', text: s.done })).toEqual([s.done])
    expect(await listed(s, { label: 'order', needsAttention: true })).toEqual([s.noMoney])
    expect(await listed(s, { label: 'order', programId: 'refund', statuses: ['completed'] }, 1)).toEqual([s.done])
    const other = await shop()
    expect(await listed(other, { label: 'anna' })).toEqual([other.done])
    await s.store.executions.delete((await s.store.executions.find(s.done))!.key)
    expect(await listed(s, { label: 'order' })).toEqual([s.noMoney])
    expect(await counted(s, { label: 'order' })).toEqual({ failed: 1 })
  })

  it('finds labels, however many have the same, whatever wrote them', async () => {
    const workspace = await rig.newWorkspace()
    const version = await workspace.deploy('order')
    const label = 'x'.repeat(200)
    const ahead = { change: { ...completes(), label }, wakeAt: undefined }
    const ids = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const execution = workspace.newExecution(version)
        await workspace.accept.start(execution, ahead)
        return execution.id
      }),
    )
    ids.push(await make(workspace, { ...fails('none'), label }))
    const late = await make(workspace, waits('paid'))
    await Promise.all(
      [late, await make(workspace)].map((id) => workspace.commit(id, { ...completes(), label: 'x late' })),
    )
    const asked = { projectId: workspace.projectId, limit: 60, label }
    const first = await workspace.store.overview.list(asked)
    const rest = await workspace.store.overview.list({ ...asked, beforeKey: first.items.at(-1)!.head.key })
    const found = [...first.items, ...rest.items].map(({ head }) => head.id)
    expect([found.toSorted(), rest.more]).toEqual([ids.toSorted(), false])
    expect(await counted(workspace, { label })).toEqual({ completed: 60, failed: 1 })
    for (const more of [{ text: 'none' }, { statuses: ['failed'] as const }]) {
      expect(await counted(workspace, { label, ...more })).toEqual({ failed: 1 })
    }
    expect(await counted(workspace, { label, notText: 'none', finishedAfter: 1 })).toEqual({ completed: 60 })
    expect(await listed(workspace, { label: 'late' })).toHaveLength(2)
  })

  it('finds what needs attention, and failures of one kind', async () => {
    const s = await shop()
    const { items } = await s.store.overview.errors({ projectId: s.projectId, programId: 'order', limit: 5 })
    expect(await listed(s, { errorFingerprint: items[0]!.fingerprint })).toEqual([s.noMoney])
    expect(await listed(s, { needsAttention: true, statuses: ['failed'] })).toEqual([s.noStock, s.noMoney])
    expect(await listed(s, { needsAttention: true, waitingKind: 'effect' })).toEqual([s.retrying])
    expect(await listed(s, { needsAttention: true })).toEqual([s.noStock, s.noMoney, s.retrying])
  })
})

describe('counts', () => {
  const all = { queued: 1, waiting: 4, completed: 1, failed: 2 }

  it('are right at once, and the same when they are folded', async () => {
    const s = await shop()
    const of = async () => [
      await counted(s),
      await counted(s, { programId: 'refund' }),
      await counted(s, { statuses: ['queued'] }),
    ]
    const expected = [all, { completed: 1, failed: 1 }, { queued: 1 }]
    expect(await of()).toEqual(expected)
    while (await rig.store.upkeep.fold());
    expect(await of()).toEqual(expected)
    const { key } = (await s.store.executions.find(s.noStock))!
    await s.store.executions.delete(key)
    expect(await counted(s)).toEqual({ ...all, failed: 1 })
    await rig.store.upkeep.fold()
    expect(await counted(s)).toEqual({ ...all, failed: 1 })
  })

  it('take the filters of the list', async () => {
    const s = await shop()
    const filters: Partial<ExecutionFilter>[] = [
      ...[{ createdAfter: 1 }, { createdBefore: 1 }, { finishedAfter: 1 }, { finishedAfter: 1, programId: 'refund' }],
      ...([{ notText: 'money' }, { text: 'stock' }, { waitingKind: 'event' }, { waitingName: 'paid' }] as const),
      ...[{ needsAttention: true }, { needsAttention: true, createdAfter: 1, programId: 'order' }],
    ]
    for (const filter of filters) {
      const found = (await s.store.overview.list({ projectId: s.projectId, limit: 50, ...filter })).items
      const expected: Record<string, number> = {}
      for (const { head } of found) expected[head.status] = (expected[head.status] ?? 0) + 1
      expect(await counted(s, filter), JSON.stringify(filter)).toEqual(expected)
    }
    expect(await s.store.overview.awaitingAttention({ projectId: s.projectId })).toBe(1)
  })

  it('leave out an Execution whose effect backs off once it is being cancelled', async () => {
    const s = await shop()
    const awaiting = async () =>
      Promise.all(
        [{}, { programId: 'order' }].map((more) =>
          s.store.overview.awaitingAttention({ projectId: s.projectId, ...more }),
        ),
      )
    const other = await make(s, backsOff())
    expect(await awaiting()).toEqual([2, 2])
    await s.accept.requestCancel((await s.store.executions.find(other))!.key)
    expect(await awaiting()).toEqual([1, 1])
  })

  it('take any two filters together, like the list', async () => {
    const s = await shop()
    await s.start('order', { againOf: s.paid })
    await s.commit((await s.start('order', { againOf: s.noMoney })).id, fails('Out of stock'))
    const filters: Partial<ExecutionFilter>[] = [
      ...[{ text: 'stock' }, { text: s.paid }, { text: 'exe_7zzzzz' }, { notText: 'money' }, { needsAttention: true }],
      ...[{ createdAfter: Date.now() + 90_000_000 }, { createdBefore: 1 }, { finishedAfter: 1 }, { finishedBefore: 1 }],
      ...([{ statuses: ['waiting'] }, { statuses: ['failed'] }, { programId: 'order' }, { versionNumber: 1 }] as const),
      ...[{ label: 'order' }, { label: 'anna' }],
      ...([
        { waitingKind: 'event' },
        { waitingName: 'paid' },
        { errorFingerprint: 'f' },
        { triggerId: 'trg_1' },
        { againOf: [s.paid, s.noMoney] },
      ] as const),
    ]
    for (const [at, one] of filters.entries()) {
      for (const other of filters.slice(at + 1)) {
        const both = { ...one, ...other }
        const { items } = await s.store.overview.list({ projectId: s.projectId, limit: 50, ...both })
        const counts = Object.values(await counted(s, both)).reduce((sum, count) => sum + count, 0)
        expect(counts, JSON.stringify(both)).toBe(items.length)
      }
    }
  })
})

it('groups what is waited for, page by page', async () => {
  const s = await shop()
  const second = await make(s, waits('paid'))
  const groups: unknown[] = []
  type After = Parameters<typeof s.store.overview.waiting>[0]['after']
  for (let after: After; ;) {
    const page = await s.store.overview.waiting({ projectId: s.projectId, limit: 1, ...(after && { after }) })
    groups.push(...page.items.map(({ kind, name, programId, count }) => [kind, name, programId, count]))
    if (!page.more) break
    after = page.items.at(-1)
  }
  expect(groups).toEqual([
    ['event', 'paid', 'order', 2],
    ['event', 'shipped', 'order', 1],
    ['timer', '', 'order', 1],
    ['effect', 'charge', 'order', 1],
  ])
  const { items } = await s.store.overview.waiting({ projectId: s.projectId, limit: 10 })
  expect(items[0]!.exampleExecutionId).toBe(s.paid)
  expect(second).not.toBe(s.paid)
})

it('groups failures, the most recent first, before and after they are folded', async () => {
  const s = await shop()
  const third = await make(s, fails('No MONEY for order 99'))
  const read = async () => (await s.store.overview.errors({ projectId: s.projectId, limit: 10 })).items
  const expected = [
    { programId: 'order', count: 2, message: 'No MONEY for order 99', exampleExecutionId: third },
    { programId: 'refund', count: 1, message: 'Out of stock', exampleExecutionId: s.noStock },
  ]
  expect(await read()).toMatchObject(expected)
  while (await rig.store.upkeep.fold());
  expect(await read()).toMatchObject(expected)
  const first = (await s.store.overview.errors({ projectId: s.projectId, limit: 1 })).items[0]!
  const rest = await s.store.overview.errors({ projectId: s.projectId, limit: 1, before: first })
  expect(rest).toMatchObject({ items: [expected[1]], more: false })
})

it('dates a failure within a start to its end', async () => {
  const { accept, deploy, newExecution, projectId, store } = await rig.newWorkspace()
  const change = fails('No money')
  const createdAt = change.finishedAt! - 5_000
  await accept.start(newExecution(await deploy('order'), { createdAt }), { change, wakeAt: undefined })
  const read = async () => (await store.overview.errors({ projectId, limit: 1 })).items
  const expected = [{ firstAt: change.finishedAt, lastAt: change.finishedAt }]
  expect(await read()).toMatchObject(expected)
  while (await rig.store.upkeep.fold());
  expect(await read()).toMatchObject(expected)
})

it('never cuts a message in the middle of a surrogate pair', async () => {
  const s = await rig.newWorkspace()
  await s.deploy('order')
  await make(s, fails(`a${'😀'.repeat(4_096)}`))
  const { items } = await s.store.overview.errors({ projectId: s.projectId, limit: 1 })
  expect(items[0]!.message).toBe(`a${'😀'.repeat(2_047)}`)
})

it('measures what was started and what ended, per step', async () => {
  const s = await shop()
  const from = rig.store.now() - HOUR
  const metrics = await s.store.overview.metrics({ projectId: s.projectId, from, stepMs: 2 * HOUR, steps: 2 })
  expect(metrics.points[0]).toMatchObject({ started: 8, completed: 1, failed: 2, cancelled: 0 })
  expect(metrics.points[0]!.p50Ms).toBeGreaterThanOrEqual(0)
  expect(metrics.points[1]).toEqual({ started: 0, completed: 0, failed: 0, cancelled: 0, p50Ms: null, p95Ms: null })
  expect(metrics.queued).toBe(1)
  const ofOne = await s.store.overview.metrics({
    projectId: s.projectId,
    programId: 'refund',
    from,
    stepMs: 2 * HOUR,
    steps: 1,
  })
  expect(ofOne).toMatchObject({ points: [{ started: 2, completed: 1, failed: 1 }], queued: 0 })
})
