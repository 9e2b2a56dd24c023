// Starts that come at the same moment share a transaction. None of them may be able to tell.

import { expect, it, onTestFinished, vi } from 'vitest'
import type { Change } from '../../src-runtime/engine/change.ts'
import type { NewExecution } from '../../src-runtime/ports/executions.ts'
import { openSession } from './database.ts'
import { hostedRig, type WorkspaceRig } from './hosted-store-rig.test-support.ts'
import type { Ahead, Started } from './store.ts'

const rig = hostedRig()

const completed = (at: number): Ahead => {
  const entries = [
    { at, type: 'log', data: '{"message":"\\"quoted\\" \\u0000"}' },
    { at, type: 'execution_completed', data: '{"result":{"n":1}}' },
  ] as const
  const change: Change = { entries, turns: 1, status: 'completed', startedAt: at, finishedAt: at, label: 'a\0"b' }
  return { change, wakeAt: undefined, computeMs: 2 }
}

const waiting = (at: number): Ahead => {
  const options = { retry: { maxAttempts: 3 }, timeoutMs: 10 }
  const entries = [
    { at, type: 'effect_scheduled', command: 1, name: 'charge', data: '{"input":1}' },
    { at, type: 'timer_scheduled', command: 2, data: '{}' },
  ] as const
  const opened = [
    { kind: 'effect', command: 1, name: 'charge', since: at, attempt: 1, options },
    { kind: 'timer', command: 2, since: at, dueAt: at + 1_000 },
  ] as const
  const change: Change = { entries, opened, turns: 1, lastCommand: 2, status: 'waiting', startedAt: at }
  return { change, wakeAt: at + 1_000, begun: { performer: 'here', commands: new Set([1]) } }
}

const failed = (at: number): Ahead => {
  const entries = [{ at, type: 'execution_failed', data: '{}' }] as const
  const error = { code: 'program_error', message: 'No money' } as const
  const change: Change = { entries, error, turns: 1, status: 'failed', startedAt: at, finishedAt: at }
  return { change, wakeAt: undefined }
}

/** What is stored of an Execution, but for what differs between any two. */
const stored = async ({ store }: WorkspaceRig, started: Started) => {
  if (started.kind !== 'started') throw new Error(started.kind)
  const { key, id } = started.head
  const { id: _, key: __, ...head } = (await store.executions.head(key))!
  expect({ ...head, id, key }).toEqual(started.head)
  const [row] = await rig.sql<object>(
    'SELECT wake_at, last_invocation, stirred, error, again_of, trigger_id, trigger_type FROM executions WHERE key = $1',
    [key],
  )
  const open = await rig.sql('SELECT * FROM pending WHERE execution = $1 ORDER BY command', [key])
  const changes = await rig.sql('SELECT was, status, at, version, program, slot FROM changes WHERE execution = $1', [
    key,
  ])
  const entries = (await store.journal.page(key, 0, 10)).items
  const pending = open.map((one) => ({ ...(one as object), execution: 0 }))
  return { head, row, pending, changes, entries, outcome: (await store.executions.findOutcome(id))?.outcome }
}

it('stores together what it stores alone', async () => {
  const workspace = await rig.newWorkspace()
  const { accept, deploy, newExecution, workspaceId } = workspace
  const versions = [await deploy('order'), await deploy('refund')]
  const at = rig.store.now()
  const kinds: readonly [Partial<NewExecution>, Ahead?][] = [
    [{}, completed(at)],
    [{ againOf: 'exe_before', trigger: { id: 'trg_1', type: 'schedule' } }, waiting(at)],
    [{ data: '{}' }, failed(at)],
    [{ data: `{"input":"${'a'.repeat(100_000)}"}` }, completed(at)],
    [{ data: '{"input":"\\u0000 \\" ö"}' }, completed(at)],
  ]
  const all = kinds.flatMap(([more, ahead], kind) => versions.map((version) => ({ more, ahead, kind, version })))
  const start = ({ more, ahead, version }: (typeof all)[number], idempotency?: NewExecution['idempotency']) =>
    accept.start(newExecution(version, { ...more, createdAt: at, ...(idempotency && { idempotency }) }), ahead)
  const usage = async () => {
    const [row] = await rig.sql<Record<string, number>>(
      `SELECT sum(executions)::int AS executions, sum(turns)::int AS turns, sum(effect_attempts)::int AS attempts,
         sum(compute_ms)::int AS compute, sum(stored_bytes)::int AS bytes
       FROM usage_deltas u JOIN workspaces w ON w.key = u.workspace WHERE w.id = $1 AND u.executions > 0`,
      [workspaceId],
    )
    return row!
  }

  const alone: Started[] = []
  for (const one of all) alone.push(await start(one))
  const usedAlone = await usage()
  const together = await Promise.all(all.map((one, n) => start(one, { key: `k${n}`, bodyHash: 'h' })))
  const used = await usage()

  for (const [index, one] of together.entries()) {
    expect(await stored(workspace, one)).toEqual(await stored(workspace, alone[index]!))
  }
  expect(used).toEqual(Object.fromEntries(Object.entries(usedAlone).map(([metric, sum]) => [metric, 2 * sum])))
})

it.each([10, 20_000])('takes few transactions for many starts with an input of %i characters', async (length) => {
  const { accept, deploy, newExecution } = await rig.newWorkspace()
  const version = await deploy('order')
  const data = JSON.stringify({ input: 'a'.repeat(length) })
  const start = () => accept.start(newExecution(version, { data }), completed(rig.store.now()))
  await start()
  let started: readonly Started[] = []
  const commits = await rig.transactionsOf(async () => (started = await Promise.all(Array.from({ length: 50 }, start))))
  expect(new Set(started.map((one) => one.kind === 'started' && one.head.key)).size).toBe(50)
  expect(commits).toBeLessThanOrEqual(5)
})

it('answers each for itself: keys that were sent before, versions that are gone', async () => {
  const [workspace, other] = [await rig.newWorkspace(), await rig.newWorkspace()]
  const { accept, deploy, newExecution } = workspace
  const version = await deploy('order')
  const foreign = await other.deploy('order')
  const withKey = (key: string, bodyHash = 'h', of = version) =>
    accept.start(newExecution(of, { idempotency: { key, bodyHash } }))
  const before = await withKey('before')
  const [repeated, conflict, gone, one, same, another, plain] = await Promise.all([
    withKey('before'),
    withKey('before', 'another body'),
    withKey('gone', 'h', foreign),
    withKey('new'),
    withKey('new'),
    withKey('new', 'another body'),
    accept.start(newExecution(version)),
  ])
  expect(repeated).toEqual({ kind: 'repeated', key: before.kind === 'started' && before.head.key })
  expect([conflict, gone, another]).toEqual([{ kind: 'conflict' }, { kind: 'version_gone' }, { kind: 'conflict' }])
  expect([one.kind, same.kind].toSorted()).toEqual(['repeated', 'started'])
  expect(plain.kind).toBe('started')
  // The key of what was not stored is free.
  expect((await withKey('gone')).kind).toBe('started')
})

it('refuses a version that is not the newest any more, where the newest one was asked for', async () => {
  const { accept, deploy, newExecution } = await rig.newWorkspace()
  const old = await deploy('order')
  const at = rig.store.now()
  const start = (isNewest: boolean, ahead: Ahead) => accept.start(newExecution(old, { isNewest, createdAt: at }), ahead)
  const kinds = async (isNewest: boolean) => {
    const alone = await start(isNewest, completed(at))
    const together = [completed(at), waiting(at), failed(at)].map((ahead) => start(isNewest, ahead))
    return [alone, ...(await Promise.all(together))].map(({ kind }) => kind)
  }
  expect(await kinds(true)).toEqual(Array(4).fill('started'))
  await deploy('order', { runnable: false })
  await deploy('refund')
  expect(await kinds(true)).toEqual(Array(4).fill('started'))
  const newer = await deploy('order')
  expect(await kinds(true)).toEqual(Array(4).fill('version_gone'))
  expect(await kinds(false)).toEqual(Array(4).fill('started'))
  expect((await accept.start(newExecution(newer, { isNewest: true }))).kind).toBe('started')
})

it('lets one that cannot be stored spoil no other', async () => {
  const { accept, deploy, newExecution } = await rig.newWorkspace()
  const version = await deploy('order')
  const start = (more: Partial<NewExecution>) => accept.start(newExecution(version, more))
  const impossible = { trigger: { id: 'trg_\0', type: 'webhook' } } as const
  const [first, bad, last] = await Promise.allSettled([start({}), start(impossible), start({})])
  expect(bad).toMatchObject({ status: 'rejected' })
  for (const one of [first, last]) expect(one).toMatchObject({ status: 'fulfilled', value: { kind: 'started' } })
})

it('takes the same keys in any order, from several processes at once', async () => {
  const { deploy, newExecution, workspaceId } = await rig.newWorkspace()
  const version = await deploy('order')
  const keys = Array.from({ length: 30 }, (_, n) => `k${n}`)
  const startAll = (sent: readonly string[]) => {
    const process = rig.store.acceptFor(workspaceId)
    return Promise.all(sent.map((key) => process.start(newExecution(version, { idempotency: { key, bodyHash: 'h' } }))))
  }
  const orders = Array.from({ length: 4 }, (_, n) => (n % 2 === 0 ? keys : keys.toReversed()))
  const all = (await Promise.all(orders.map(startAll))).flat()
  expect(all.filter(({ kind }) => kind === 'started')).toHaveLength(30)
  expect(all.filter(({ kind }) => kind === 'repeated')).toHaveLength(90)
})

it('starts one Execution with a key that is older than a day, whoever sends it at the same moment', async () => {
  const { accept, deploy, newExecution, workspaceId } = await rig.newWorkspace()
  const version = await deploy('order')
  const startAt = (process: typeof accept) =>
    process.start(newExecution(version, { idempotency: { key: 'daily', bodyHash: 'h' } }))
  expect((await startAt(accept)).kind).toBe('started')
  await rig.sql(`UPDATE idempotency SET created_at = created_at - 86400000 WHERE key = 'daily'`)
  // Both have seen the old row before one of them replaces it.
  const other = await openSession(rig.postgres.ownerUrl, { search_path: 'wes' })
  onTestFinished(other.close)
  await other.run('BEGIN')
  await other.run(`SELECT FROM idempotency WHERE key = 'daily' FOR UPDATE`)
  const starts = [startAt(rig.store.acceptFor(workspaceId)), startAt(rig.store.acceptFor(workspaceId))]
  await vi.waitFor(async () => expect(await rig.sql('SELECT FROM pg_locks WHERE NOT granted')).toHaveLength(2))
  await other.run('COMMIT')
  expect((await Promise.all(starts)).map(({ kind }) => kind).toSorted()).toEqual(['repeated', 'started'])
})

it('waits for a change of the schedule that starts it, and then stores nothing', async () => {
  const { accept, deploy, newExecution, workspaceId } = await rig.newWorkspace()
  const version = await deploy('order')
  for (const id of ['trg_kept', 'trg_changed']) {
    await rig.sql(
      `INSERT INTO triggers (id, workspace, project, program, created_at, updated_at, position, enabled, type)
       SELECT $1, w.key, p.project, p.key, 7, 7, 0, true, 'schedule' FROM workspaces w JOIN programs p ON p.workspace = w.key WHERE w.id = $2`,
      [id, workspaceId],
    )
  }
  const start = (id: string, ahead?: Ahead) =>
    accept.start(
      newExecution(version, { isNewest: true, trigger: { id, type: 'schedule' }, triggerUpdatedAt: 7 }),
      ahead,
    )
  const other = await openSession(rig.postgres.ownerUrl, { search_path: 'wes' })
  onTestFinished(other.close)
  await other.run('BEGIN')
  await other.run(`SELECT FROM triggers WHERE id = 'trg_changed' FOR UPDATE`)
  await other.run(`UPDATE triggers SET enabled = false, updated_at = 8 WHERE id = 'trg_changed'`)
  const started = Promise.all([
    ...[start('trg_changed'), start('trg_kept'), start('trg_changed', failed(7)), start('trg_gone')],
    ...[start('trg_kept'), accept.start(newExecution(version))],
  ])
  await vi.waitFor(async () => expect(await rig.sql('SELECT FROM pg_locks WHERE NOT granted')).toHaveLength(2), 5_000)
  await other.run('COMMIT')
  const kinds = ['trigger_changed', 'started', 'trigger_changed', 'trigger_changed', 'started', 'started']
  expect((await started).map(({ kind }) => kind)).toEqual(kinds)
  const many = () => Promise.all(Array.from({ length: 20 }, () => start('trg_kept')))
  const commits = await rig.transactionsOf(async () => {
    expect((await many()).map(({ kind }) => kind)).toEqual(Array(20).fill('started'))
  })
  expect(commits).toBeLessThanOrEqual(5)
})
