import type { Grouping } from '../../src-runtime/contract/usage-models.ts'
import { expect, it } from 'vitest'
import { summarizeUsage, type UsageRow } from '../usage/summarize-usage.ts'
import { openSession } from './database.ts'
import { hostedRig, urlOf } from './hosted-store-rig.test-support.ts'
import { migrateDatabase } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'
import { BLOCK_DAYS } from './migrations/043-usage-totals.ts'

const rig = hostedRig()

const TODAY = 625 * BLOCK_DAYS + 7
const GROUPINGS: readonly (readonly Grouping[])[] = [
  ...[[], ['day'], ['project'], ['program'], ['day', 'project']],
  ...[
    ['day', 'program'],
    ['project', 'program'],
    ['day', 'project', 'program'],
  ],
] as const
const RANGES = [
  { from: TODAY, to: TODAY },
  { from: TODAY - 7, to: TODAY },
  { from: TODAY - 30, to: TODAY + 5 },
  { from: TODAY - 70, to: TODAY - 40 },
  // Within a block, from its first day to its last, a day more at either end, and none that is whole.
  { from: TODAY - 35, to: TODAY - 20 },
  { from: TODAY - 71, to: TODAY - 40 },
  { from: TODAY - 40, to: TODAY - 7 },
  { from: TODAY - 70, to: TODAY - 41 },
  { from: TODAY - 365, to: TODAY },
  { from: TODAY + 1, to: TODAY + 3 },
]

/** The same numbers each time. */
const createNumbers = () => {
  let state = 7
  return (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below
}

const ADD = `INSERT INTO usage_deltas (workspace, project, program, day, executions, turns, effect_attempts, events, compute_ms,
    stored_bytes)
  SELECT p.workspace, p.project, p.key, d.day, d.executions, d.turns, d.attempts, d.events, d.compute, d.stored
  FROM json_to_recordset($1) AS d (project text, program text, day int, executions int, turns int, attempts int, events int,
    compute int, stored bigint) JOIN projects j ON j.id = d.project JOIN programs p ON p.project = j.key AND p.id = d.program`

/** A workspace with two projects and Programs of the same names in both, and what they used. */
const newUsage = async () => {
  const { workspaceId, projectId, ids, deploy, store } = await rig.newWorkspace()
  const other = ids('prj')
  await store.projects.create({ id: other, name: 'Other', createdAt: 0 })
  for (const project of [projectId, other]) for (const id of ['a', 'b', 'c']) await deploy(id, { projectId: project })
  await rig.sql('DELETE FROM usage_deltas')
  const number = createNumbers()
  const rows = Array.from({ length: 400 }, (): UsageRow => ({
    day: TODAY - number(420),
    projectId: number(2) === 0 ? projectId : other,
    programId: ['a', 'b', 'c'][number(3)]!,
    ...{
      executions: number(9),
      turns: number(9),
      effectAttempts: number(9),
      events: number(9),
      computeMs: number(999),
    },
    storedBytes: number(5_000) - 1_000,
  }))
  const add = (some: readonly UsageRow[]) =>
    rig.sql(ADD, [
      JSON.stringify(
        some.map(({ projectId: project, programId: program, effectAttempts, computeMs, storedBytes, ...rest }) => ({
          ...{ ...rest, project, program, attempts: effectAttempts, compute: computeMs, stored: storedBytes },
        })),
      ),
    ])
  return { tenant: rig.store.forWorkspace(workspaceId).tenant, rows, add }
}

/** Of the rows, what belongs to the groups that are asked for. */
const asked = (rows: readonly UsageRow[], groupBy: readonly Grouping[]): readonly UsageRow[] =>
  rows.map(({ projectId, programId, ...rest }) => ({
    ...rest,
    ...(groupBy.includes('project') && { projectId }),
    ...(groupBy.includes('program') && { programId }),
  }))

type Tenant = Awaited<ReturnType<typeof newUsage>>['tenant']

const summaryOf = (...asked: Parameters<typeof summarizeUsage>) => {
  const { items, total } = summarizeUsage(...asked)
  return { items: [...items], total }
}

const answers = (tenant: Tenant) =>
  Promise.all(
    RANGES.flatMap((range) =>
      GROUPINGS.map(async (groupBy) => {
        const question = { ...range, today: TODAY, groupBy }
        return { question, summary: summaryOf(question, await tenant.usage.rows(question)) }
      }),
    ),
  )

const expected = (rows: readonly UsageRow[]) =>
  RANGES.flatMap((range) =>
    GROUPINGS.map((groupBy) => {
      const question = { ...range, today: TODAY, groupBy }
      return { question, summary: summaryOf(question, asked(rows, groupBy)) }
    }),
  )

it('is the same however it is grouped, of any days, before it is folded and after', async () => {
  const { tenant, rows, add } = await newUsage()
  await add(rows.slice(0, 250))
  while (await rig.store.usage.fold());
  await add(rows.slice(250, 300))
  while (await rig.store.usage.fold());
  await add(rows.slice(300))
  expect(await answers(tenant)).toEqual(expected(rows))
  while (await rig.store.usage.fold());
  expect(await answers(tenant)).toEqual(expected(rows))
})

it('has no rows of Programs that were used later only', async () => {
  const { tenant, rows, add } = await newUsage()
  await add([{ ...rows[0]!, day: TODAY - 20 }])
  while (await rig.store.usage.fold());
  const question = { from: TODAY - 30, to: TODAY - 21, today: TODAY, groupBy: ['program'] } as const
  expect(await tenant.usage.rows(question)).toEqual([])
})

it('counts Programs of one id in several projects once, unless projects are told apart', async () => {
  const { tenant } = await newUsage()
  const count = (...groupBy: readonly Grouping[]) => tenant.usage.programs({ before: Date.now() + 60_000, groupBy })
  expect(await count('day', 'program')).toBe(3)
  expect(await count('day', 'project', 'program')).toBe(6)
})

it('is read from sums: of Programs, no days before the block of the first day are read, else no days at all', async () => {
  const { tenant, rows, add } = await newUsage()
  await add(rows)
  while (await rig.store.usage.fold());
  const right = expected(rows)
  const firstOfBlock = (day: number) => day - (day % BLOCK_DAYS)
  await rig.sql('DELETE FROM usage_days WHERE day < $1', [firstOfBlock(TODAY - 365)])
  expect(await answers(tenant)).toEqual(right)

  // Those of whole blocks are read by day only.
  await rig.sql('DELETE FROM usage_days WHERE day BETWEEN $1 AND $2', [
    firstOfBlock(TODAY - 365) + BLOCK_DAYS,
    firstOfBlock(TODAY - 70) - 1,
  ])
  const isRight = (all: typeof right, which: (groupBy: readonly Grouping[]) => boolean) =>
    expect(all.filter(({ question }) => which(question.groupBy))).toEqual(
      right.filter(({ question }) => which(question.groupBy)),
    )
  isRight(await answers(tenant), (groupBy) => !groupBy.includes('program') || !groupBy.includes('day'))

  await rig.sql('DELETE FROM usage_days')
  isRight(await answers(tenant), (groupBy) => !groupBy.includes('program'))
})

it('of a database of the release before is summed up by a migration, also where the owner is no superuser', async () => {
  await rig.sql(`CREATE ROLE summing LOGIN CREATEROLE PASSWORD 'of tests'`)
  await rig.sql('GRANT wes_app, wes_worker TO summing WITH ADMIN OPTION')
  await rig.sql('CREATE DATABASE summed OWNER summing')
  const url = new URL(urlOf(rig.postgres.ownerUrl, { user: 'summing', password: 'of tests' }))
  url.pathname = '/summed'
  const upTo = (newest: number) =>
    migrateDatabase({ ownerUrl: url.href, migrations: MIGRATIONS.filter(({ version }) => version <= newest) })
  await upTo(42)
  const superuser = new URL(rig.postgres.ownerUrl)
  superuser.pathname = '/summed'
  const { run: sql, close } = await openSession(superuser.href, { search_path: 'wes' })
  const folded = (day: number) =>
    sql('INSERT INTO usage_days VALUES (1, 1, 1, $1, 1, 2, 3, 4, 5, 6), (1, 1, 2, $1, 10, 20, 30, 40, 50, 60)', [day])
  for (const day of [31, 32, 33]) await folded(day)
  await upTo(43)
  // By a process that has begun to fold as before.
  await folded(34)
  await sql('INSERT INTO usage_deltas (workspace, project, program, day, stored_bytes) VALUES (1, 1, 1, 34, 7)')
  await sql('SELECT wes_fold_usage(10)')
  // Somebody reads what was used meanwhile.
  await sql('BEGIN')
  await sql('SELECT FROM usage_days')
  await upTo(44)
  await sql('COMMIT')
  expect(
    await sql(
      'SELECT day, executions, turns, effect_attempts, events, compute_ms, stored_bytes FROM usage_totals ORDER BY day',
    ),
  ).toEqual(
    [31, 32, 33, 34].map((day) => ({
      ...{ day, executions: 11, turns: 22, effect_attempts: 33, events: 44, compute_ms: 55 },
      stored_bytes: day === 34 ? 73 : 66,
    })),
  )
  expect(await sql('SELECT program, block, stored_bytes FROM usage_blocks ORDER BY block, program')).toEqual([
    { program: 1, block: 0, stored_bytes: 6 },
    { program: 2, block: 0, stored_bytes: 60 },
    { program: 1, block: 1, stored_bytes: 25 },
    { program: 2, block: 1, stored_bytes: 180 },
  ])

  // One who reads both waits behind the migration, which waits for another one.
  const [blocked, behind] = [await openSession(superuser.href, {}), await openSession(superuser.href, {})]
  await blocked.run('BEGIN; SELECT FROM wes.usage_blocks')
  const migrated = upTo(54)
  const waiting = async (count: number) => {
    const waits = await sql(`SELECT FROM pg_locks WHERE NOT granted AND relation::regclass::text LIKE 'usage_%'`)
    return waits.length === count
  }
  await expect.poll(() => waiting(1)).toBe(true)
  const read = behind.run('SELECT FROM wes.usage_days, wes.usage_blocks')
  await expect.poll(() => waiting(2)).toBe(true)
  await blocked.run('COMMIT')
  await Promise.all([migrated, read, blocked.close()])
  await behind.close()
  await folded(40)
  await upTo(56)
  expect(
    await sql(
      'SELECT block, executions, compute_ms, stored_bytes, late_byte_days FROM usage_blocks WHERE program = 1 ORDER BY block',
    ),
  ).toEqual([
    { block: 0, executions: 1, compute_ms: 5, stored_bytes: 6, late_byte_days: 31 * 6 },
    { block: 1, executions: 4, compute_ms: 20, stored_bytes: 31, late_byte_days: 1 * 6 + 2 * 13 + 8 * 6 },
  ])
  await close()
})
