import { expect, it, onTestFinished, vi } from 'vitest'
import { createIds } from '../../src-runtime/shared/ids.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { openSession } from '../store/database.ts'
import { hostedRig, type WorkspaceRig } from '../store/hosted-store-rig.test-support.ts'
import type { StoredChange, WorkspaceRemoval } from '../store/store.ts'
import type { TriggerRecord } from '../store/tenancy.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { secretDigest } from '../tokens/token-text.ts'
import { removeWorkspace } from './remove-workspace.ts'

const rig = hostedRig()

const remove = (id: string, removal = rig.store.workspaceRemoval) => removeWorkspace(removal, id, () => {}, 0)

const triggersOf = ({ ids, projectId }: WorkspaceRig): readonly TriggerRecord[] => {
  const shared = { projectId, programId: 'order', enabled: true, createdAt: 1, updatedAt: 1 }
  return [
    { ...shared, id: ids('trg'), type: 'webhook', publicId: ids('trg').slice(4) },
    { ...shared, id: ids('trg'), type: 'schedule', cron: '* * * * *', timezone: 'UTC', nextFireAt: 1_000 },
  ]
}

const issue = (workspace: string) => {
  const { workspaces, forWorkspace, now } = rig.store
  const deps = { workspaces, tenant: (id: string) => forWorkspace(id).tenant, ids: createIds(now) }
  return issueToken(deps, { workspace, name: 'ci', role: 'admin' })
}

/** Something in every table that has rows of workspaces. */
const fill = async (workspace: WorkspaceRig): Promise<{ readonly digest: Buffer; readonly publicId: string }> => {
  const { ids, accept, store, projectId, start, commit, deploy } = workspace
  const { tenant } = store
  await store.projects.create({ id: ids('prj'), name: 'Second', createdAt: 0 })
  await deploy('order', { effects: 'export const a = 1', sourceMap: '{}' })
  const version = await deploy('order')
  const tokenId = ids('tok')
  const digest = secretDigest(tokenId)
  await tenant.tokens.create({ id: tokenId, name: 'ci', role: 'admin', digest })
  await rig.store.access.startSession({ digest: secretDigest(`${tokenId} s`), tokenId, lifeMs: 60_000 })
  const triggers = triggersOf(workspace)
  await tenant.triggers.replace(projectId, () => triggers)
  const set = [{ name: 'A', sealed: 'k:1' }]
  await tenant.environment.change(projectId, { set, remove: [], most: 9, mostBytes: 99 })

  const at = rig.store.now()
  const waiting = await start()
  await commit(waiting.id, {
    ...{ turns: 1, lastCommand: 1, status: 'waiting', startedAt: at, label: 'Order 7' },
    entries: [{ at, type: 'effect_scheduled', command: 1, name: 'charge', data: '{}' }],
    opened: [{ kind: 'effect', command: 1, name: 'charge', since: at, attempt: 1, options: {} }],
  })
  const key = { executionId: waiting.id, command: 1, attempt: 1 }
  await rig.store.engine.outcome(key, { kind: 'result', data: '{}' })
  const long = await start('order', { idempotency: { key: 'once', bodyHash: 'h' } })
  const sent = Array.from({ length: 250 }, (_, n) => n)
  await Promise.all(
    sent.map((n) =>
      accept.receive(long.key, { id: `evt_${n}`, name: 'paid', idempotency: { key: `k${n}`, bodyHash: 'h' } }),
    ),
  )
  const failed = await start()
  await commit(failed.id, {
    entries: [{ at, type: 'execution_failed', data: '{}' }],
    error: { code: 'program_error', message: 'No money' },
    ...{ closed: 'all', consumed: 'all', turns: 1, status: 'failed', finishedAt: at },
  })
  const deleted = await start()
  await Promise.all(sent.map((n) => accept.receive(deleted.key, { id: `evt_${n}`, name: 'paid' })))
  await accept.requestCancel(deleted.key)
  await store.executions.delete(deleted.key)
  await store.bulks.start({
    ...{ id: ids('blk'), action: 'cancel' },
    target: { kind: 'ids', ids: [waiting.id, 'exe_x'], projectId: undefined },
  })
  while (await rig.store.upkeep.fold());
  while (await rig.store.usage.fold());
  await accept.start(workspace.newExecution(version))
  const [webhook] = triggers
  return { digest, publicId: webhook?.type === 'webhook' ? webhook.publicId : '' }
}

const tables = async (): Promise<readonly string[]> => {
  const rows = await rig.sql<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace'
     WHERE n.nspname = 'wes' AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

const keyOf = async ({ workspaceId }: WorkspaceRig): Promise<number> =>
  (await rig.sql<{ key: number }>('SELECT key FROM workspaces WHERE id = $1', [workspaceId]))[0]!.key

/** By table. */
const rowsOf = async (workspace: number): Promise<Readonly<Record<string, number>>> => {
  const counts: [string, number][] = []
  for (const table of await tables()) {
    const [row] = await rig.sql<{ count: number }>(`SELECT count(*)::int AS count FROM ${table} WHERE workspace = $1`, [
      workspace,
    ])
    counts.push([table, row!.count])
  }
  return Object.fromEntries(counts)
}

/** Only what folds of other times remove: rows of changes hold ids and times, for a day. */
const expectGone = async (workspace: number): Promise<void> => {
  while (await rig.store.upkeep.fold());
  while (await rig.store.usage.fold());
  const { changes: _, ...rows } = await rowsOf(workspace)
  expect(rows).toEqual(Object.fromEntries(Object.keys(rows).map((table) => [table, 0])))
}

const KILLED = new Error('killed')

/** Ends like a process that is killed before so many calls of the store. */
const cutBefore = (calls: number): WorkspaceRemoval => {
  let left = calls
  return new Proxy(rig.store.workspaceRemoval, {
    get: (removal, name: keyof WorkspaceRemoval) => (id: string) => {
      if (left === 0) throw KILLED
      left -= 1
      return removal[name](id)
    },
  })
}

it('leaves nothing of a workspace, whenever it was killed before, and all of another, whose changes are told', async () => {
  const [one, other] = [await rig.newWorkspace(), await rig.newWorkspace()]
  await fill(other)
  const { digest } = await fill(one)
  const [key, otherKey] = [await keyOf(one), await keyOf(other)]
  const before = await rowsOf(key)
  expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([])
  const ofOther = await rowsOf(otherKey)
  const mark = await rig.store.changes.latest()
  for (let n = 0; n < 3; n += 1) await one.start()
  const changed = await other.start()

  let runs = 0
  for (let isDone = false; !isDone; runs += 1) {
    isDone = await remove(one.workspaceId, cutBefore(runs)).then(
      () => true,
      (error: unknown) => {
        if (error !== KILLED) throw error
        return false
      },
    )
    expect((await rig.store.access.findToken(digest)) === undefined).toBe(runs > 0)
  }
  expect(runs).toBeGreaterThan(5)
  expect(await rig.store.workspaces.get(one.workspaceId)).toBeUndefined()
  await remove(one.workspaceId)
  await expectGone(key)
  const { executions, journal, pending, outcomes, inbox, tokens, triggers, usage_days, status_counts } =
    await rowsOf(otherKey)
  expect({ executions, journal, pending, outcomes, inbox, tokens, triggers }).toEqual({
    ...{ executions: ofOther['executions']! + 1, journal: ofOther['journal']! + 1 },
    ...{ pending: ofOther['pending'], outcomes: ofOther['outcomes'], inbox: ofOther['inbox'] },
    ...{ tokens: ofOther['tokens'], triggers: ofOther['triggers'] },
  })
  expect([usage_days, status_counts].every((count) => count! > 0)).toBe(true)

  const told: StoredChange[] = []
  for (let page = { mark, isMore: true }; page.isMore;) {
    const read = await rig.store.changes.after(page.mark, 2)
    if (read.kind === 'gone') throw new Error('the changes are gone')
    told.push(...read.items)
    page = read
  }
  expect(told).toMatchObject([{ workspaceId: other.workspaceId, executionId: changed.id }])
})

it('leaves a workspace that accepts nothing until it is removed, also what was added while that began', async () => {
  const workspace = await rig.newWorkspace()
  const { workspaceId, projectId, store, ids } = workspace
  const { publicId } = await fill(workspace)
  await store.tenant.rename(`Shop ${workspaceId}`)
  const key = await keyOf(workspace)
  await rig.store.workspaceRemoval.begin(workspaceId)
  const tokenId = ids('tok')
  await store.tenant.tokens.create({ id: tokenId, name: 'late', role: 'admin', digest: secretDigest(tokenId) })
  const triggers = triggersOf(workspace)
  await store.tenant.triggers.replace(projectId, () => triggers)
  const [webhook, schedule] = triggers
  await store.projects.create({ id: ids('prj'), name: 'Late', createdAt: 0 })

  const { access, schedules } = rig.store
  expect(await access.findToken(secretDigest(tokenId))).toBeUndefined()
  expect(await access.valid([secretDigest(tokenId)])).toEqual([])
  expect(await schedules.findWebhook(publicId)).toBeUndefined()
  expect(await schedules.findWebhook(webhook?.type === 'webhook' ? webhook.publicId : '')).toBeUndefined()
  expect(await schedules.findSchedule(schedule!.id)).toBeUndefined()
  await expect(issue(`Shop ${workspaceId}`)).rejects.toThrow('is being removed')

  await remove(workspaceId)
  await expectGone(key)
  const again = await issue(`Shop ${workspaceId}`)
  expect(again.isNewWorkspace).toBe(true)
  expect(await rig.store.workspaces.contents(again.workspace.id)).toMatchObject({
    executions: 0,
    programs: 0,
    tokens: 1,
  })
})

it('is not held up by what processes of the service do with it meanwhile, and they store nothing of it afterwards', async () => {
  const workspace = await rig.newWorkspace()
  const { workspaceId, projectId, store, accept, ids, deploy, start, commit, newExecution } = workspace
  const version = await deploy('order')
  const key = await keyOf(workspace)
  const heads = await Promise.all(Array.from({ length: 120 }, () => start()))
  let isOver = false
  const faults: unknown[] = []
  const again = async (act: (n: number) => Promise<unknown>, goesOn = (n: number) => n < 40): Promise<void> => {
    for (let n = 0; goesOn(n); n += 1) {
      await act(n).catch((error: unknown) => {
        if (!(error instanceof StoreUnavailableError)) faults.push(error)
      })
    }
  }
  const always = (): boolean => !isOver
  const at = rig.store.now()
  const change = { turns: 1, lastCommand: 1, status: 'waiting', startedAt: at } as const
  const entries = [{ at, type: 'effect_scheduled', command: 1, name: 'charge', data: '{}' }] as const
  const set = [{ name: 'A', sealed: 'k:1' }]
  const target = { kind: 'ids', ids: ['exe_x'], projectId: undefined } as const
  const callers = [
    again(() => accept.start(newExecution(version, { idempotency: { key: ids('evt'), bodyHash: 'h' } }))),
    again((n) => accept.receive(heads[n]!.key, { id: ids('evt'), name: 'paid' })),
    again((n) => accept.requestCancel(heads[n * 2]!.key)),
    again(async (n) => {
      const { id } = heads[heads.length - 1 - n]!
      if ((await rig.store.engine.load(id)) !== undefined) await commit(id, { ...change, entries }).catch(() => {})
    }),
    again((n) => deploy(`p${n}`)),
    again(() => store.tenant.triggers.replace(projectId, () => triggersOf(workspace))),
    again(() => store.tenant.environment.change(projectId, { set, remove: [], most: 9, mostBytes: 99 })),
    again((n) => store.projects.create({ id: ids('prj'), name: `p${n}`, createdAt: 0 })),
    again(() => store.bulks.start({ id: ids('blk'), action: 'cancel', target })),
  ]
  const upkeep = [
    again(() => rig.store.upkeep.fold(), always),
    again(() => rig.store.usage.fold(), always),
    again(() => rig.store.bulkWork.take({ limit: 9, leaseMs: 0, busy: [] }), always),
  ]
  await remove(workspaceId)
  await Promise.all(callers)
  isOver = true
  await Promise.all(upkeep)
  expect(faults).toEqual([])
  await expectGone(key)
})

it('removes also what was added to a Program while its row was about to be removed', async () => {
  const workspace = await rig.newWorkspace()
  const { workspaceId, deploy } = workspace
  await deploy('order')
  const key = await keyOf(workspace)
  const adder = await openSession(rig.postgres.ownerUrl, { search_path: 'wes' })
  onTestFinished(() => adder.close())
  await adder.run('BEGIN')
  await adder.run(
    `INSERT INTO triggers (id, workspace, project, program, created_at, updated_at, position, enabled, type)
     SELECT $2, $1, p.project, p.key, 1, 1, 1, true, 'webhook' FROM programs p WHERE p.workspace = $1`,
    [key, workspace.ids('trg')],
  )
  const removed = remove(workspaceId)
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM programs%'`
  await vi.waitUntil(async () => (await rig.sql(waiting)).length === 1)
  await adder.run('COMMIT')
  await removed
  await expectGone(key)
})

it('tells a row that is missing from one that went with its workspace', async () => {
  const workspace = await rig.newWorkspace()
  const projectId = workspace.ids('prj')
  await expect(workspace.deploy('order', { projectId })).rejects.toMatchObject({ name: 'error', code: 'P0002' })
  await remove(workspace.workspaceId)
  await expect(workspace.deploy('order')).rejects.toThrow(new StoreUnavailableError('the workspace was removed'))
})
