// What many callers and visits read at the same moment takes few statements.

import { expect, it, onTestFinished } from 'vitest'
import { createDatabaseClock } from './clock.ts'
import { openDatabase, type Database, type Values } from './database.ts'
import { createEngineStore } from './engine-store.ts'
import { createExecutionReads } from './executions.ts'
import { createKeptIdentities } from './kept-identities.ts'
import { hostedRig } from './hosted-store-rig.test-support.ts'
import { createScope } from './scope.ts'

const rig = hostedRig()
const MANY = 12

it('reads Executions together that are asked for at the same moment', async () => {
  const workspace = await rig.newWorkspace()
  await workspace.deploy('order')
  const heads = await Promise.all(Array.from({ length: MANY }, () => workspace.start()))
  const [row] = await rig.sql<{ key: number }>('SELECT key FROM workspaces WHERE id = $1', [workspace.workspaceId])
  let statements = 0
  const counted = (role: 'wes_app' | 'wes_worker'): Database => {
    const db = openDatabase({ url: rig.url, role, connections: 8 })
    onTestFinished(db.close)
    const run: Database['run'] = (text, values) => {
      statements += 1
      return db.run(text, values)
    }
    return { ...db, run }
  }
  const executions = createExecutionReads(
    createScope(counted('wes_app'), () => Promise.resolve(row!.key)),
    createKeptIdentities()('wsp'),
  )
  const engine = createEngineStore(counted('wes_worker'), createDatabaseClock())
  const statementsOf = async (ask: (head: (typeof heads)[number]) => unknown) => {
    const before = statements
    const answers = await Promise.all([...heads.map(ask), ask({ ...heads[0]!, id: 'exe_none', key: 1 })])
    return { statements: statements - before, answers }
  }

  for (const [ask, expected] of [
    [({ key }) => executions.head(key), [...heads, undefined]],
    [({ id }) => executions.find(id), [...heads, undefined]],
    [async ({ key }) => (await executions.outcome(key))?.status, [...heads.map(() => 'queued'), undefined]],
    [async ({ key }) => (await executions.whole(key))?.head, [...heads, undefined]],
    [async ({ id }) => (await engine.load(id))?.head, [...heads, undefined]],
  ] satisfies [Parameters<typeof statementsOf>[0], unknown[]][]) {
    expect(await statementsOf(ask)).toEqual({ statements: 1, answers: expected })
  }
})

it('reads large data of each Execution alone, and small data together', async () => {
  const workspace = await rig.newWorkspace()
  await workspace.deploy('order')
  const inputOf = (n: number): string => JSON.stringify({ input: 'x'.repeat(n % 2 === 0 ? 10 : 100_000) })
  const heads = await Promise.all(
    Array.from({ length: MANY }, (_, n) => workspace.start('order', { data: inputOf(n) })),
  )
  const [row] = await rig.sql<{ key: number }>('SELECT key FROM workspaces WHERE id = $1', [workspace.workspaceId])
  const db = openDatabase({ url: rig.url, role: 'wes_app', connections: 8 })
  onTestFinished(db.close)
  const lengths: number[] = []
  const run: Database['run'] = async <Row>(text: string, values?: Values) => {
    const rows = await db.run<Row>(text, values)
    lengths.push(JSON.stringify(rows).length)
    return rows
  }
  const scope = createScope({ ...db, run }, () => Promise.resolve(row!.key))
  const executions = createExecutionReads(scope, createKeptIdentities()('wsp'))
  const wholes = await Promise.all(heads.map(async ({ key }) => executions.whole(key)))
  expect(wholes.map((whole) => whole?.input)).toEqual(heads.map((_, n) => inputOf(n)))
  expect(lengths).toHaveLength(1 + MANY / 2)
  expect(Math.max(...lengths)).toBeLessThan(200_000)
  // One that is asked for alone is one read, however large it is.
  await executions.whole(heads[1]!.key)
  expect(lengths).toHaveLength(2 + MANY / 2)
})

it('lets one that cannot be read spoil no other', async () => {
  const heads = await Promise.all(
    [1, 2].map(async () => {
      const workspace = await rig.newWorkspace()
      return workspace.start()
    }),
  )
  const [first, refused, second] = await Promise.allSettled(
    [heads[0]!.id, 'exe_\0', heads[1]!.id].map((id) => rig.store.engine.load(id)),
  )
  expect(first).toMatchObject({ status: 'fulfilled', value: { head: heads[0] } })
  expect(refused).toMatchObject({ status: 'rejected' })
  expect(second).toMatchObject({ status: 'fulfilled', value: { head: heads[1] } })
})
