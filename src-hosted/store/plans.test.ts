// What the main reads look at among 100,000 Executions, as PostgreSQL's own plans count it.

import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { createDatabaseClock } from './clock.ts'
import { openDatabase, type Database, type DatabaseRole, type Values } from './database.ts'
import { createEngineStore } from './engine-store.ts'
import { createFindKeys } from './find-keys.ts'
import { createFindScope } from './find-scope.ts'
import { createExecutionReads } from './executions.ts'
import { createKeptIdentities } from './kept-identities.ts'
import { hostedRig, type WorkspaceRig } from './hosted-store-rig.test-support.ts'
import { createJournalReads } from './journal.ts'
import { createOverviewReads } from './overview.ts'
import { createScope } from './scope.ts'

const rig = hostedRig()
const MANY = 100_000
const DAY = 24 * 3_600_000

type Plan = {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Relation Name'?: string
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Plan[]
}

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const blocksReadBy = (plan: Plan): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']

/** Rows that were read from tables and indexes. */
const readBy = (plan: Plan): number =>
  nodesOf(plan)
    .filter((node) => node['Relation Name'] !== undefined)
    .reduce((sum, node) => {
      const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
      return sum + (node['Actual Rows'] + removed) * node['Actual Loops']
    }, 0)

let workspace: WorkspaceRig
let versions: readonly number[]

/** Mostly completed; a fifth waits, a twentieth failed, one in a thousand retries an effect. */
const FILL = `
  WITH made AS (
    INSERT INTO executions (key, created_at, started_at, finished_at, error_group, workspace, project, program, version,
      last_position, turns, last_command, buffered, buffered_bytes, stirred, status, id, label, again_of, error)
    SELECT wes_first_key($1::bigint + n * 100), $1 + n * 100, 1, CASE WHEN s.status >= 4 THEN $1 + n * 100 + 50 END,
      CASE WHEN s.status = 5 THEN g.key END, v.workspace, v.project, v.program, v.key, 2, 1, 1, 0, 0, 0, s.status,
      'exe_' || lpad(n::text, 26, '0'), CASE WHEN n % 20 = 2 THEN 'order ' || n || ', Anna' END,
      CASE WHEN n % 50 = 2 THEN 'exe_' || lpad((n - 1)::text, 26, '0') END,
      CASE WHEN s.status = 5 THEN '{"code":"program_error","message":"No money"}' END
    FROM generate_series(1, $2::int) AS n
      CROSS JOIN LATERAL (SELECT CASE WHEN n % 5 = 0 THEN 2 WHEN n % 20 = 1 THEN 5 ELSE 4 END AS status) AS s
      JOIN versions v ON v.key = ($3::int[])[1 + n % 2]
      JOIN error_groups g ON g.program = v.program
    RETURNING *
  ), entries AS (
    INSERT INTO journal (execution, position, workspace, at, type, data)
    SELECT key, 1, workspace, created_at, 0, '{"input":1}' FROM made
  ), waits AS (
    INSERT INTO pending (execution, since, due_at, workspace, project, program, command, attempt, position, kind, name, options)
    SELECT key, created_at, CASE WHEN key % 1000 = 0 THEN 1 END, workspace, project, program, 1, 2, 2,
      CASE WHEN key / 409600 % 200 = 0 THEN 2 ELSE 0 END,
      CASE WHEN key / 409600 % 200 = 0 THEN 'charge' ELSE 'event ' || key / 409600 % 7 END, '{}'
    FROM made WHERE status = 2
  ), texts AS (
    INSERT INTO error_texts (execution, workspace, text, grams) SELECT key, workspace, 'no money', '{1}' FROM made WHERE status = 5
  )
  INSERT INTO status_counts (version, status, workspace, project, program, count)
  SELECT version, status, workspace, project, program, count(*) FROM made GROUP BY 1, 2, 3, 4, 5`

beforeAll(async () => {
  workspace = await rig.newWorkspace()
  const ids = [await workspace.deploy('order'), await workspace.deploy('refund')].map(({ versionId }) => versionId)
  versions = (await rig.sql<{ key: number }>('SELECT key FROM versions WHERE id = ANY ($1) ORDER BY key', [ids])).map(
    ({ key }) => key,
  )
  await rig.sql(
    `INSERT INTO error_groups (first_at, last_at, count, workspace, project, program, fingerprint)
     SELECT 1, 2, 9, workspace, project, program, 'f' FROM versions WHERE key = ANY ($1)`,
    [versions],
  )
  // VACUUM leaves pages for later whose rows were committed, but are not on the disk yet.
  await rig.sql('SET synchronous_commit = on')
  await rig.sql(FILL, [rig.store.now() - DAY, MANY, versions])
  await rig.sql('VACUUM (ANALYZE)')
})

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return 'NULL'
  if (Array.isArray(value)) return literal(`{${value.map((one) => JSON.stringify(one)).join()}}`)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `'${text.replaceAll("'", "''")}'`
}

/** The same database with one connection, which runs each statement once more, with the plan that it has, to see what it reads. */
const explained = (db: Database, found: Plan[]): Database => {
  type Explained = { readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[] }
  const explain = async (text: string, values: Values) => {
    const [row] = await db.runOnce<Explained>(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`, values)
    found.push(row!['QUERY PLAN'][0]!.Plan)
  }
  const explainPrepared = async (text: string, values: Values) => {
    const [prepared] = await db.run<{ name: string }>('SELECT name FROM pg_prepared_statements WHERE statement = $1', [
      text,
    ])
    const explain = `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE ${prepared!.name}(${values.map(literal).join()})`
    const [row] = await db.run<Explained>(explain)
    found.push(row!['QUERY PLAN'][0]!.Plan)
  }
  return {
    run: async <Row>(text: string, values: Values = []) => {
      const rows = await db.run<Row>(text, values)
      await explainPrepared(text, values)
      return rows
    },
    runOnce: async (text, values) => {
      await explain(text, values)
      return db.runOnce(text, values)
    },
    state: () => db.state(),
    close: db.close,
  }
}

/** The reads of the workspace, whose plans are noted. */
const explainedReads = async () => {
  const [own] = await rig.sql<{ key: number }>('SELECT key FROM workspaces WHERE id = $1', [workspace.workspaceId])
  const plans: Plan[] = []
  const scopeAs = (role: DatabaseRole) => {
    const db = openDatabase({ url: rig.url, role, connections: 1 })
    onTestFinished(() => db.close())
    return createScope(explained(db, plans), async () => own!.key)
  }
  const scope = scopeAs('wes_app')
  const findScope = createFindScope(scope)
  const findKeys = createFindKeys(scope, scopeAs('wes_worker'), findScope)
  const overview = createOverviewReads({ scope, findScope, findKeys, now: rig.store.now })
  return { scope, overview, plans }
}

it('ends a list of one Program at the oldest run that it needs', async () => {
  const { overview, plans } = await explainedReads()
  const [failed] = await rig.sql<{ created_at: number }>(
    'SELECT created_at FROM executions WHERE status = 5 ORDER BY key DESC LIMIT 1',
  )
  const { projectId } = workspace
  const createdBefore = failed!.created_at + 1
  await overview.list({ projectId, limit: 1, programId: 'refund', statuses: ['completed', 'failed'], createdBefore })
  // The whole run has more than a hundred.
  expect(blocksReadBy(plans.at(-1)!)).toBeLessThan(80)
})

it('reads metrics, counts of a time, and what is awaited from indexes alone', async () => {
  const { projectId } = workspace
  const { overview, plans } = await explainedReads()
  const from = rig.store.now() - DAY
  await overview.metrics({ projectId, from, stepMs: DAY / 24, steps: 24 })
  await overview.metrics({ projectId, programId: 'refund', from, stepMs: DAY / 24, steps: 24 })
  await overview.counts({ projectId, createdAfter: from })
  await overview.counts({ projectId, programId: 'refund', createdAfter: from })
  await overview.counts({ projectId, finishedAfter: from })
  await overview.waiting({ projectId, limit: 50 })
  const waysTo = (table: string) =>
    plans
      .flatMap(nodesOf)
      .filter((node) => node['Relation Name'] === table)
      .map((node) => node['Node Type'])
  const example = 'Index Scan' // its id, of each group
  expect(waysTo('executions')).toEqual([...Array.from({ length: 7 }, () => 'Index Only Scan'), example])
  expect(new Set(waysTo('pending'))).toEqual(new Set(['Index Only Scan']))
})

it('reads little for each of the main questions, whatever the number of Executions', async () => {
  const { projectId } = workspace
  const { scope, overview, plans } = await explainedReads()
  const { now } = rig.store
  const executions = createExecutionReads(scope, createKeptIdentities()('wsp'))
  const journal = createJournalReads(scope)
  const list = (filter: object) => () => overview.list({ projectId, limit: 50, ...filter })
  const middle = now() - DAY + (MANY * 100) / 2
  const [some] = await rig.sql<{ key: number; id: string }>(
    'SELECT key, id FROM executions ORDER BY key LIMIT 1 OFFSET 7',
  )

  const questions: Record<string, [most: number, () => unknown]> = {
    'the newest': [800, list({})],
    'a page in the middle': [800, list({ createdBefore: middle })],
    'of one Program': [800, list({ programId: 'refund' })],
    'of one version that has ended': [800, list({ programId: 'refund', versionNumber: 1, statuses: ['failed'] })],
    'of a status that few have': [400, list({ statuses: ['queued'] })],
    'what waits for one event': [900, list({ waitingName: 'event 3' })],
    'what waits for effects': [1_500, list({ waitingKind: 'effect' })],
    'failures of one kind': [400, list({ errorFingerprint: 'f' })],
    'a text in many errors': [5_000, list({ text: 'money' })],
    'a text in no error': [2_500, list({ text: 'nowhere' })],
    'a text in many labels': [2_500, list({ label: 'anna' })],
    'a text in many labels, of one Program': [2_500, list({ label: 'anna', programId: 'order' })],
    'a text in one label': [2_500, list({ label: `order ${MANY / 2 + 2},` })],
    'a text in no label': [2_500, list({ label: 'nowhere' })],
    'how many have a text in their labels': [
      1_500,
      () => overview.counts({ projectId, label: `order ${MANY / 2 + 2},` }),
    ],
    'a whole id': [2_500, list({ text: some!.id })],
    'what runs one of some again': [
      400,
      list({ againOf: [...Array(100).keys()].map((n) => `exe_${String(50 * n + 1).padStart(26, '0')}`) }),
    ],
    'what runs a rare one again': [10, list({ againOf: [some!.id] })],
    'how many have a text in their errors': [10, () => overview.counts({ projectId, text: 'nowhere' })],
    'how many have an id': [300, () => overview.counts({ projectId, text: 'exe_' })],
    'what is awaited': [2.1 * (MANY / 5), () => overview.waiting({ projectId, limit: 50 })],
    'what ended in a minute': [3_000, list({ finishedAfter: middle, finishedBefore: middle + 60_000 })],
    'what needs attention': [3_000, list({ needsAttention: true })],
    // Two in ten wait, each for an event or an effect.
    'how many need attention': [1.1 * (MANY / 5), () => overview.awaitingAttention({ projectId })],
    counts: [300, () => overview.counts({ projectId })],
    'counts of one Program': [300, () => overview.counts({ projectId, programId: 'refund' })],
    'failures by kind': [300, () => overview.errors({ projectId, limit: 50 })],
    'one by its id': [20, () => executions.find(some!.id)],
    'all of one': [20, () => executions.whole(some!.key)],
    'a page of its journal': [20, () => journal.page(some!.key, 0, 50)],
  }
  const looked: Record<string, number> = {}
  for (const [name, [most, ask]] of Object.entries(questions)) {
    plans.length = 0
    await ask()
    const rows = plans.reduce((sum, plan) => sum + readBy(plan), 0)
    if (rows > most) looked[name] = rows
  }
  expect(looked).toEqual({})
})

it('reads little to find schedules that are due, whatever the number of schedules and workspaces', async () => {
  await rig.sql(
    `INSERT INTO workspaces (id, name, created_at) SELECT 'wsp_' || n, 'x', 1 FROM generate_series(1, 2000) AS n`,
  )
  await rig.sql(
    `INSERT INTO triggers (id, workspace, project, program, created_at, updated_at, next_fire_at, position, enabled, type)
     SELECT 'trg_' || w.key || '_' || n, w.key, p.project, p.key, 1, 1, wes_now() + 3600000, 1, true, 'schedule'
     FROM workspaces w CROSS JOIN generate_series(1, 10) AS n CROSS JOIN (SELECT * FROM programs LIMIT 1) AS p`,
  )
  await rig.sql('VACUUM (ANALYZE) workspaces, triggers')
  const plans: Plan[] = []
  const db = openDatabase({ url: rig.url, role: 'wes_worker', connections: 1 })
  onTestFinished(() => db.close())
  const claim = async (ahead: number) => {
    await explained(db, plans).runOnce('SELECT * FROM wes_claim_schedules($1, 16, 8, 1000, $2)', [ahead, []])
    return blocksReadBy(plans.at(-1)!)
  }
  // The first one also reads PostgreSQL's own tables.
  await claim(500)
  expect(await claim(500)).toBeLessThan(20)
  // Sixteen of those that are due get a share.
  expect(await claim(7_200_000)).toBeLessThan(1_000)
})

it('finds what a killed process had begun, however many sleep for longer', async () => {
  await rig.sql('UPDATE executions SET wake_at = wes_now() + 3600000 + key % 1000 WHERE status = 2')
  await rig.sql('VACUUM (ANALYZE) executions')
  const plans: Plan[] = []
  const db = openDatabase({ url: rig.url, role: 'wes_worker', connections: 1 })
  onTestFinished(() => db.close())
  const { endLeases } = createEngineStore(explained(db, plans), createDatabaseClock())
  await endLeases({ withinMs: 6_000, claimedWithinMs: 60_000, overdueMs: 5_000, limit: 1_000 })
  expect(blocksReadBy(plans.at(-1)!)).toBeLessThan(20)
})
