import { DatabaseError } from 'pg'
import { expect, it } from 'vitest'
import { openSession, type Database } from './database.ts'
import { hostedRig, type WorkspaceRig } from './hosted-store-rig.test-support.ts'
import { migrateDatabase } from './migrate.ts'
import { openHostedStore } from './open-hosted-store.ts'
import { createUpkeep } from './upkeep.ts'

const rig = hostedRig()
const DAY = 24 * 3_600_000

const ended = async (workspace: WorkspaceRig) => {
  const head = await workspace.start()
  await workspace.accept.requestCancel(head.key)
  return head
}

it('removes Executions that ended before their workspace keeps them, and nothing of other workspaces', async () => {
  const [one, other] = [await rig.newWorkspace(), await rig.newWorkspace()]
  const old = await ended(one)
  const running = await one.start()
  const kept = await ended(other)
  const before = rig.store.now() + 1_000
  while (await rig.store.upkeep.removeEnded((id) => (id === one.workspaceId ? before : undefined)));
  expect(await one.store.executions.head(old.key)).toBeUndefined()
  expect(await one.store.executions.head(running.key)).toBeDefined()
  expect(await other.store.executions.head(kept.key)).toBeDefined()
  expect(await one.store.overview.counts({ projectId: one.projectId })).toMatchObject({ cancelled: 0, queued: 1 })
})

it('removes many Executions of a workspace in one pass', async () => {
  const workspace = await rig.newWorkspace()
  for (let count = 0; count < 60; count += 1) await ended(workspace)
  const before = rig.store.now() + 1_000
  expect(await rig.store.upkeep.removeEnded((id) => (id === workspace.workspaceId ? before : undefined))).toBe(false)
  expect(await workspace.store.overview.counts({ projectId: workspace.projectId })).toMatchObject({ cancelled: 0 })
})

/** Of workspaces 1 to 3, whose first Executions ended at 1 to 3, the removals that were asked for: `[workspace, how many]`. */
const removals = async (removed: (key: number, most: number) => number, isStopped?: () => boolean, before = 4) => {
  const asked: (readonly [number, number])[] = []
  const run = async (text: string, [first, , most]: readonly number[]): Promise<unknown> => {
    if (text.includes('FROM workspaces')) {
      return first === 0 ? [1, 2, 3].map((key) => ({ key, id: `w${key}`, first_end: key })) : []
    }
    asked.push([first!, most!])
    return [{ count: removed(first!, most!) }]
  }
  const { removeEnded } = createUpkeep({ run } as unknown as Database, Date.now)
  const outcome = await removeEnded(() => before, isStopped).catch((error: unknown) => (error as Error).message)
  return { asked, outcome }
}
const tooSlow = Object.assign(new DatabaseError('canceling statement', 1, 'error'), {
  severity: 'ERROR',
  code: '57014',
})

it('asks only for workspaces of which something ended long ago', async () => {
  expect(await removals(() => 0, undefined, 3)).toEqual({
    asked: [
      [1, 50],
      [2, 50],
    ],
    outcome: false,
  })
})

it('removes fewer Executions at once where that takes too long, and does not let other workspaces wait', async () => {
  const large = (key: number, most: number): number => {
    if (key === 1 && most > 5) throw tooSlow
    return 0
  }
  const first = [
    [1, 50],
    [1, 5],
  ]
  const others = [
    [2, 50],
    [3, 50],
  ]
  expect(await removals(large)).toEqual({ asked: [...first, ...others], outcome: false })
  const impossible = (key: number): number => {
    if (key === 1) throw tooSlow
    return 0
  }
  expect(await removals(impossible)).toEqual({ asked: [...first, [1, 1], ...others], outcome: 'canceling statement' })
  const away = (): number => {
    throw new Error('away')
  }
  expect(await removals(away)).toEqual({ asked: [[1, 50]], outcome: 'away' })
})

it('ends between two slices when the process stops', async () => {
  let slices = 0
  const removed = (): number => (slices += 1) && 50
  expect(await removals(removed, () => slices === 3)).toMatchObject({ asked: { length: 3 }, outcome: true })
})

it('removes a long journal in parts, and counts what it freed', async () => {
  const workspace = await rig.newWorkspace()
  const { key } = await ended(workspace)
  await rig.sql(
    `INSERT INTO journal (execution, position, workspace, at, type, data)
     SELECT $1, n, e.workspace, 1, 11, '{}' FROM executions e, generate_series(10, 1000) n WHERE e.key = $1`,
    [key],
  )
  const left = async () =>
    (await rig.sql<{ n: number }>('SELECT count(*) AS n FROM journal WHERE execution = $1', [key]))[0]!.n
  expect(await workspace.store.executions.delete(key)).toEqual({ kind: 'deleted' })
  expect(await left()).toBeGreaterThan(0)
  expect(await workspace.store.executions.delete(key)).toBeUndefined()
  while (await rig.store.upkeep.removeOld());
  expect(await left()).toBe(0)
  expect(await rig.sql('SELECT FROM deletions')).toEqual([])
})

it('removes idempotency keys after a day', async () => {
  const { deploy, newExecution, accept, store } = await rig.newWorkspace()
  const version = await deploy('order')
  await accept.start(newExecution(version, { idempotency: { key: 'old', bodyHash: 'h' } }))
  await accept.start(newExecution(version, { idempotency: { key: 'new', bodyHash: 'h' } }))
  await rig.sql(`UPDATE idempotency SET created_at = created_at - $1 WHERE key = 'old'`, [DAY])
  expect(await store.executions.startedWith(version.projectId, 'old')).toBeUndefined()
  await rig.store.upkeep.removeOld()
  expect((await rig.sql<{ key: string }>('SELECT key FROM idempotency')).map(({ key }) => key)).toEqual(['new'])
})

it('forgets the idempotency key of an event after a day, whether or not it was removed', async () => {
  const { start, accept } = await rig.newWorkspace()
  const { key } = await start()
  const send = async (id: string) => {
    const event = { id, name: 'go', idempotency: { key: 'k', bodyHash: 'h' } }
    return (await accept.receive(key, event)).kind
  }
  expect([await send('evt_1'), await send('evt_2')]).toEqual(['received', 'repeated'])
  await rig.sql('UPDATE event_keys SET created_at = created_at - $1', [DAY])
  expect([await send('evt_3'), await send('evt_4')]).toEqual(['received', 'repeated'])
})

it('empties the oldest hour of the changes once it is folded, and says to readers what they missed', async () => {
  const workspace = await rig.newWorkspace()
  const mark = await rig.store.changes.latest()
  await workspace.start()
  // As if these had been written 25 hours ago.
  const slot = Math.floor(rig.store.now() / 3_600_000 + 1) % 26
  await rig.sql('UPDATE changes SET slot = $1', [slot])
  await rig.store.upkeep.removeOld()
  const after = await rig.store.changes.after(mark, 10)
  expect(after).toMatchObject({ kind: 'changes', items: [{ kind: 'program' }, { kind: 'execution' }] })
  while (await rig.store.upkeep.fold());
  await rig.store.upkeep.removeOld()
  expect(await rig.sql('SELECT FROM changes')).toEqual([])
  expect(await rig.store.changes.after(mark, 10)).toEqual({ kind: 'gone' })
  expect(await workspace.store.overview.counts({ projectId: workspace.projectId })).toMatchObject({ queued: 1 })
})

it('keeps no count of a version that was removed before its changes were folded', async () => {
  const workspace = await rig.newWorkspace()
  const { key } = await ended(workspace)
  const { projectId, store } = workspace
  await rig.store.upkeep.fold()
  const counts = async () => {
    const of = 'workspace = (SELECT w.key FROM workspaces w WHERE w.id = $1)'
    return rig.sql(`SELECT count::int FROM status_counts WHERE ${of}`, [workspace.workspaceId])
  }
  expect(await counts()).toEqual([{ count: 1 }])
  await workspace.deploy('order')
  await store.executions.delete(key)
  expect(await store.programs.remove(projectId, 'order', 1)).toBe('removed')
  while (await rig.store.upkeep.fold());
  expect(await counts()).toEqual([])
})

it('keeps a group of failures that are not folded yet', async () => {
  const workspace = await rig.newWorkspace()
  const { id } = await workspace.start()
  const at = rig.store.now()
  await workspace.commit(id, {
    entries: [{ at, type: 'execution_failed', data: '{}' }],
    error: { code: 'program_error', message: 'No money' },
    ...{ closed: 'all', consumed: 'all', turns: 1, status: 'failed', finishedAt: at },
  })
  await rig.store.upkeep.removeOld()
  while (await rig.store.upkeep.fold());
  const { items } = await workspace.store.overview.errors({ projectId: workspace.projectId, limit: 10 })
  expect(items.map(({ count }) => count)).toEqual([1])
})

it('counts and tells what happens after a dump was restored and migrated, and refuses to be opened before', async () => {
  const workspace = await rig.newWorkspace()
  const queued = async () => {
    await rig.store.upkeep.fold()
    return (await workspace.store.overview.counts({ projectId: workspace.projectId })).queued
  }
  await workspace.start()
  expect(await queued()).toBe(1)
  await workspace.start()
  // The server that was dumped had counted further.
  for (const table of ['changes', 'change_marks']) {
    await rig.sql(`UPDATE ${table} SET xid = (xid::text::bigint + 1000000)::text::xid8 WHERE xid > '2'`)
  }
  const opened = openHostedStore({ url: rig.url, connections: { app: 1, worker: 1 } })
  await expect(opened).rejects.toThrow('restored from a dump: run `wes migrate`')
  const { ownerUrl } = rig.postgres
  expect(await migrateDatabase({ ownerUrl })).toEqual({ applied: 0, changesRestarted: true })

  expect(await queued()).toBe(2)
  const mark = await rig.store.changes.latest()
  await workspace.start()
  expect(await queued()).toBe(3)
  expect(await rig.store.changes.after(mark, 10)).toMatchObject({ kind: 'changes', items: [{ status: 'queued' }] })
})

it('hands out the items of a bulk once each, again when they were not settled, until all are done', async () => {
  const workspace = await rig.newWorkspace()
  const ids = [await workspace.start(), await workspace.start(), await workspace.start()].map(({ id }) => id)
  const { bulks } = workspace.store
  const target = { kind: 'filter', filter: { projectId: workspace.projectId } } as const
  const started = await bulks.start({ id: 'blk_1', action: 'cancel', target })
  expect(started).toMatchObject({ kind: 'started', bulk: { id: 'blk_1', status: 'running', matched: 3, done: 0 } })
  const { take, settle } = rig.store.bulkWork
  const lost = await take({ limit: 2, leaseMs: 0, busy: [] })
  const first = (await take({ limit: 2, leaseMs: 60_000, busy: [] }))!
  expect(first).toEqual(lost)
  expect(first).toMatchObject({ workspaceId: workspace.workspaceId, action: 'cancel', firstNumber: 0 })
  expect(first.executionIds).toEqual([ids[0], ids[1]])
  expect(await take({ limit: 2, leaseMs: 60_000, busy: [] })).toBeUndefined()
  await settle(first, { done: 1, failed: 1 })
  await settle(first, { done: 2, failed: 0 })
  const second = (await take({ limit: 2, leaseMs: 60_000, busy: [] }))!
  expect(second.executionIds).toEqual([ids[2]])
  await settle(second, { done: 1, failed: 0 })
  expect(await bulks.get('blk_1')).toMatchObject({ status: 'done', matched: 3, done: 2, failed: 1 })
  expect(await take({ limit: 2, leaseMs: 60_000, busy: [] })).toBeUndefined()
  await bulks.start({ id: 'blk_2', action: 'delete', target: { kind: 'ids', ids, projectId: undefined } })
  expect(await bulks.stop('blk_2')).toMatchObject({ status: 'stopped' })
  expect(await take({ limit: 2, leaseMs: 60_000, busy: [] })).toBeUndefined()
  expect(await (await rig.newWorkspace()).store.bulks.get('blk_1')).toBeUndefined()
})

it('hands out again what was leased before the clock was set back or its process died', async () => {
  const { store } = await rig.newWorkspace()
  await store.bulks.start({
    id: 'blk_ahead',
    action: 'cancel',
    target: { kind: 'ids', ids: ['exe_1'], projectId: undefined },
  })
  const { take, settle } = rig.store.bulkWork
  const lost = (await take({ limit: 1, leaseMs: 30_000, busy: [] }))!
  expect(await take({ limit: 1, leaseMs: 30_000, busy: [] })).toBeUndefined()
  await rig.sql("UPDATE bulks SET free_at = free_at + 3600000 WHERE id = 'blk_ahead'")
  expect(await take({ limit: 1, leaseMs: 30_000, busy: [] })).toEqual(lost)
  await rig.store.bulkWork.endLeases()
  expect(await take({ limit: 1, leaseMs: 30_000, busy: [] })).toEqual(lost)
  expect(await take({ limit: 1, leaseMs: 30_000, busy: [] })).toBeUndefined()
  await settle(lost, { done: 1, failed: 0 })
})

it('leases items for longer, until they are settled, also where another release makes shorter leases', async () => {
  const { store } = await rig.newWorkspace()
  const ids = ['exe_1', 'exe_2']
  await store.bulks.start({ id: 'blk_longer', action: 'cancel', target: { kind: 'ids', ids, projectId: undefined } })
  const { take, extend, settle } = rig.store.bulkWork
  const taken = (await take({ limit: 1, leaseMs: 0, busy: [] }))!
  await extend(taken, 30_000)
  expect(await take({ limit: 1, leaseMs: 15_000, busy: [] })).toBeUndefined()
  await settle(taken, { done: 1, failed: 0 })
  await extend(taken, 30_000)
  const next = (await take({ limit: 1, leaseMs: 15_000, busy: [] }))!
  expect(next.executionIds).toEqual(['exe_2'])
  await settle(next, { done: 1, failed: 0 })
})

it('works on bulks of workspaces in turn, however many bulks each has', async () => {
  const [one, other] = [await rig.newWorkspace(), await rig.newWorkspace()]
  const { take, settle } = rig.store.bulkWork
  const create = async ({ store: { bulks } }: typeof one, id: string, size: number) => {
    const ids = Array.from({ length: size }, (_, n) => `exe_unknown_${n}`)
    await bulks.start({ id, action: 'cancel', target: { kind: 'ids', ids, projectId: undefined } })
  }
  for (const id of ['blk_one_1', 'blk_one_2', 'blk_one_3']) await create(one, id, 1)
  const underWay = (await take({ limit: 1, leaseMs: 60_000, busy: [] }))!
  await settle(underWay, { done: 1, failed: 0 })
  await create(other, 'blk_other', 3)
  expect(await take({ limit: 1, leaseMs: 0, busy: [one.workspaceId, other.workspaceId] })).toBeUndefined()
  const beside = (await take({ limit: 1, leaseMs: 60_000, busy: [one.workspaceId] }))!
  expect(beside).toMatchObject({ bulkId: 'blk_other' })
  // It had its turn, though none of its items ended.
  await settle(beside, { done: 0, failed: 0 })
  const order: string[] = []
  for (let n = 0; n < 5; n += 1) {
    const taken = (await take({ limit: 1, leaseMs: 60_000, busy: [] }))!
    order.push(taken.bulkId)
    // Times are in ms, and each is worked on for longer.
    const takenAt = Date.now()
    await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(takenAt + 1)
    await settle(taken, { done: 1, failed: 0 })
  }
  expect(order).toEqual(['blk_one_2', 'blk_other', 'blk_one_3', 'blk_other', 'blk_other'])
})

it('deletes the items of a bulk and counts them at once, so that a process that is killed leaves none to count', async () => {
  const [one, other] = [await rig.newWorkspace(), await rig.newWorkspace()]
  const heads = [await ended(one), await ended(one), await one.start(), await ended(other)]
  const ids = [...heads.map(({ id }) => id), 'exe_unknown']
  const { bulks } = one.store
  await bulks.start({ id: 'blk_3', action: 'delete', target: { kind: 'ids', ids, projectId: one.projectId } })
  const { take, delete: remove } = rig.store.bulkWork
  const taken = (await take({ limit: 9, leaseMs: 60_000, busy: [] }))!
  const transactions = await rig.transactionsOf(() => remove(taken, () => expect.fail()))
  expect(transactions).toBe(1)
  // The answer was lost, or somebody else has taken the items over.
  await remove(taken, () => expect.fail())
  expect(await bulks.get('blk_3')).toMatchObject({ status: 'done', matched: 5, done: 2, failed: 3 })
  const left = await Promise.all(heads.map(async ({ id }) => one.store.executions.find(id)))
  expect(left.map((head) => head?.id)).toEqual([undefined, undefined, ids[2], undefined])
  expect(await other.store.executions.find(ids[3]!)).toMatchObject({ status: 'cancelled' })
})

it('deletes what matched once, and nothing after the bulk was stopped', async () => {
  const workspace = await rig.newWorkspace()
  const heads = [await ended(workspace), await ended(workspace), await ended(workspace)]
  const { bulks, executions } = workspace.store
  const target = { kind: 'filter', filter: { projectId: workspace.projectId } } as const
  await bulks.start({ id: 'blk_4', action: 'delete', target })
  const { take, delete: remove } = rig.store.bulkWork
  await executions.delete(heads[0]!.key)
  await remove((await take({ limit: 2, leaseMs: 60_000, busy: [] }))!, () => expect.fail())
  expect(await bulks.get('blk_4')).toMatchObject({ status: 'running', done: 1, failed: 1 })
  const rest = (await take({ limit: 2, leaseMs: 60_000, busy: [] }))!
  await bulks.stop('blk_4')
  await remove(rest, () => expect.fail())
  expect(await bulks.get('blk_4')).toMatchObject({ status: 'stopped', done: 1, failed: 1 })
  expect(await executions.find(heads[2]!.id)).toBeDefined()
})

it('takes no more unfinished bulks of a workspace than it may have, also of those that come at the same moment', async () => {
  const workspace = await rig.newWorkspace()
  const { bulks } = workspace.store
  const target = { kind: 'ids', ids: ['exe_unknown'], projectId: undefined } as const
  const ids = Array.from({ length: 40 }, (_, n) => `blk_many_${n}`)
  const started = await Promise.all(ids.map(async (id) => bulks.start({ id, action: 'cancel', target })))
  expect(started.filter(({ kind }) => kind === 'started')).toHaveLength(20)
  await Promise.all(ids.map(async (id) => bulks.stop(id)))
  // Others are being created in a transaction that has not ended.
  const session = await openSession(rig.postgres.ownerUrl, { search_path: 'wes' })
  const create = `SELECT wes_create_bulk(key, 'blk_more_' || n, 'cancel', NULL, NULL, '{exe_unknown}')
    FROM workspaces, generate_series(1, 20) n WHERE id = '${workspace.workspaceId}'`
  await session.run(`BEGIN; ${create}`)
  const next = bulks.start({ id: 'blk_next', action: 'cancel', target })
  await expect.poll(() => rig.sql(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)).toHaveLength(1)
  await session.run('COMMIT')
  await session.close()
  expect(await next).not.toMatchObject({ kind: 'started' })
  await Promise.all(Array.from({ length: 20 }, async (_, n) => bulks.stop(`blk_more_${n + 1}`)))
  expect(await bulks.start({ id: 'blk_last', action: 'cancel', target })).toMatchObject({ kind: 'started' })
  await bulks.stop('blk_last')
})

it('counts an item that cannot be deleted as failed, and deletes the others', async () => {
  const workspace = await rig.newWorkspace()
  const heads = [await ended(workspace), await ended(workspace), await ended(workspace)]
  const { bulks, executions } = workspace.store
  const ids = heads.map(({ id }) => id)
  await bulks.start({ id: 'blk_5', action: 'delete', target: { kind: 'ids', ids, projectId: undefined } })
  await rig.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'a fault'; END $$`)
  await rig.sql(
    `CREATE TRIGGER refused BEFORE DELETE ON executions FOR EACH ROW WHEN (old.key = ${heads[1]!.key}) EXECUTE FUNCTION refuse()`,
  )
  const faults: unknown[] = []
  const { take, delete: remove } = rig.store.bulkWork
  await remove((await take({ limit: 9, leaseMs: 60_000, busy: [] }))!, (fault) => faults.push(fault))
  await rig.sql('DROP FUNCTION refuse CASCADE')
  expect(faults).toEqual([expect.objectContaining({ message: 'a fault' })])
  expect(await bulks.get('blk_5')).toMatchObject({ status: 'done', done: 2, failed: 1 })
  expect((await Promise.all(ids.map(async (id) => executions.find(id)))).map((head) => head?.id)).toEqual([
    undefined,
    ids[1],
    undefined,
  ])
})

it('tells other processes what one of them says', async () => {
  const heard: string[] = []
  let isReady = false
  const listening = rig.store.notices.listen(
    (notice) => heard.push(notice),
    () => (isReady = true),
  )
  await expect.poll(() => isReady).toBe(true)
  await Promise.all([rig.store.notices.send(['one', 'two']), rig.store.notices.send(['three'])])
  await expect.poll(() => heard).toEqual(['one', 'two', 'three'])
  await listening.stop()
})
