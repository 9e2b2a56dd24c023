import { expect, it, onTestFinished } from 'vitest'
import { openDatabase, type DatabaseRole } from './database.ts'
import { createFindKeys } from './find-keys.ts'
import { hostedRig } from './hosted-store-rig.test-support.ts'
import { createScope, scopedRead, type Scope } from './scope.ts'

const rig = hostedRig()

/** Every table with a row of the workspace that a test made. */
const TABLES = [
  'workspaces',
  'projects',
  'programs',
  'versions',
  'artifacts',
  'executions',
  'journal',
  'inbox',
  'changes',
]

it('shows nothing to a query that names no workspace, and nothing of others to one that does', async () => {
  const [one, other] = [await rig.newWorkspace(), await rig.newWorkspace()]
  for (const workspace of [one, other]) {
    const { key } = await workspace.start()
    await workspace.accept.receive(key, { id: 'evt_1', name: 'paid' })
  }
  const app = openDatabase({ url: rig.url, role: 'wes_app', connections: 1 })
  const [own] = await rig.sql<{ key: number }>('SELECT key FROM workspaces WHERE id = $1', [one.workspaceId])
  for (const table of TABLES) {
    expect(await app.run(`SELECT FROM ${table}`), table).toEqual([])
    const column = table === 'workspaces' ? 'key' : 'workspace'
    const all = scopedRead(`SELECT x.${column} AS workspace FROM ${table} x WHERE scope.workspace > 0`)
    const found = await app.run<{ workspace: number }>(all, [own!.key])
    expect(new Set(found.map(({ workspace }) => workspace)), table).toEqual(new Set([own!.key]))
    // The setting ends with its statement.
    expect(await app.run(`SELECT FROM ${table}`), table).toEqual([])
  }
  await app.close()
})

it('protects every table that has rows of workspaces', async () => {
  const unprotected = await rig.sql<{ table: string }>(
    `SELECT c.relname AS table FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'wes' AND c.relkind IN ('r', 'p') AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
     ORDER BY 1`,
  )
  expect(unprotected.map(({ table }) => table)).toEqual([
    'change_marks',
    'migrations',
    'performers',
    'service',
    'worker_addresses',
  ])
})

it('finds nothing of a workspace by the keys and ids of another', async () => {
  const [one, other] = [await rig.newWorkspace(), await rig.newWorkspace()]
  const { key, id } = await one.start()
  expect(await other.store.executions.head(key)).toBeUndefined()
  expect(await other.store.executions.find(id)).toBeUndefined()
  expect(await other.store.executions.whole(key)).toBeUndefined()
  expect(await other.store.journal.entry(key, 1)).toBeUndefined()
  expect(await other.store.projects.get(one.projectId)).toBeUndefined()
  expect(await other.store.programs.get(one.projectId, 'order')).toBeUndefined()
  expect((await other.store.overview.list({ projectId: one.projectId, limit: 10 })).items).toEqual([])
  expect(await other.accept.receive(key, { id: 'evt_1', name: 'paid' })).toEqual({ kind: 'gone' })
  expect(await other.accept.requestCancel(key)).toEqual({ kind: 'gone' })
  expect(await other.accept.actEarly(key, 'fire', 1)).toEqual({ kind: 'gone' })
  expect(await other.store.executions.delete(key)).toBeUndefined()
  const foreign = one.newExecution(await one.deploy('order'))
  expect(await other.accept.start(foreign)).toEqual({ kind: 'version_gone' })
})

it('finds no error of another workspace by its text, though one of the two locks is open', async () => {
  const [own, other] = [await rig.newWorkspace(), await rig.newWorkspace()]
  const { key, id } = await other.start()
  const at = rig.store.now()
  const error = { code: 'program_error', message: 'their secret' } as const
  const entries = [{ at, type: 'execution_failed', data: JSON.stringify({ error }) }] as const
  await other.commit(id, { entries, status: 'failed', finishedAt: at, startedAt: at, turns: 1, lastCommand: 0, error })
  const query = { projectId: other.projectId, text: 'secret' }
  expect((await other.store.overview.counts(query)).failed).toBe(1)

  const [ownRow] = await rig.sql<{ key: number }>('SELECT key FROM workspaces WHERE id = $1', [own.workspaceId])
  const [theirs] = await rig.sql<{ key: number }>('SELECT key FROM projects WHERE id = $1', [other.projectId])
  const scopeAs = (role: DatabaseRole) => {
    const db = openDatabase({ url: rig.url, role, connections: 1 })
    onTestFinished(() => db.close())
    return createScope(db, async () => ownRow!.key)
  }
  const [scope, searching] = [scopeAs('wes_app'), scopeAs('wes_worker')]
  const inTheirProject = async () => ({ project: theirs!.key, versions: undefined })
  const rowsBy = async (search: Scope): Promise<unknown> =>
    (await createFindKeys(scope, search, inTheirProject)(query, at, undefined))?.read((keys) => keys)
  const found: unknown[] = []
  const noted: Scope['readOnce'] = async (...statement) => {
    const rows = await searching.readOnce<never>(...statement)
    found.push(...rows)
    return rows
  }
  expect(await rowsBy({ ...searching, readOnce: noted })).toBeUndefined()
  expect(found).toEqual([{ keys: null }])
  const givesTheirs: Scope['readOnce'] = async () => [{ keys: `{${key}}` }] as never
  expect(await rowsBy({ ...searching, readOnce: givesTheirs })).toEqual([])
})

it('lets processes be neither owner nor superuser', async () => {
  const app = openDatabase({ url: rig.url, role: 'wes_app', connections: 1 })
  await expect(app.run('DROP TABLE journal')).rejects.toThrow('must be owner')
  await expect(app.run('ALTER TABLE journal NO FORCE ROW LEVEL SECURITY')).rejects.toThrow('must be owner')
  await app.close()
})
