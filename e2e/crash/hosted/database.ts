// What PostgreSQL holds, read as its owner and not through the service.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { HOSTILE } from './project.ts'

export type Rows = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/** One connection for each use: PostgreSQL may have been killed since. */
export const withDatabase = async <Result>(url: string, read: (rows: Rows) => Promise<Result>): Promise<Result> => {
  const client = new Client({ connectionString: url, options: '-c search_path=wes' })
  client.on('error', () => {})
  await client.connect()
  try {
    const rows: Rows = async <Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query(text, [...values])).rows as Row[]
    return await read(rows)
  } finally {
    await client.end()
  }
}

/**
 * Executions that do not wait for an event alone. Those that a schedule has just started do not count, and neither do
 * hostile ones: they compute until a limit ends them, however long that takes.
 */
const MOVING = `SELECT e.id, e.status, e.turns, e.wake_at - wes_now() AS wakes_in, e.sweeps,
    (SELECT json_agg(p) FROM (SELECT command, kind, name, attempt, due_at - wes_now() AS due_in, deaths, performer
      FROM pending WHERE execution = e.key) AS p) AS open
  FROM executions e JOIN programs g ON g.key = e.program AND g.id <> ALL ($1)
  WHERE e.status < 4 AND NOT (e.trigger_type IS NOT DISTINCT FROM 'schedule' AND e.created_at > wes_now() - 10000)
    AND (e.status <> 2 OR e.buffered > 0 OR EXISTS (
      SELECT FROM pending p WHERE p.execution = e.key AND (p.kind <> 0 OR p.due_at IS NOT NULL)))
  ORDER BY e.key LIMIT 20`

const UNFINISHED = `SELECT e.id, e.status, e.turns, e.wake_at - wes_now() AS wakes_in, e.sweeps
  FROM executions e JOIN programs g ON g.key = e.program AND g.id = ANY ($1) WHERE e.status < 4`

export const hostileExecutions = (rows: Rows): Promise<readonly { readonly id: string }[]> =>
  rows(UNFINISHED, [[...HOSTILE.keys()]])

export const movingExecutions = (rows: Rows): Promise<readonly { readonly id: string }[]> =>
  rows(MOVING, [[...HOSTILE.keys()]])

/** Types: 2, 3 and 4 are ends of attempts, 9 is an event. Turns: see `miscountedTurns`. */
const JOURNALED = `SELECT
  (SELECT count(*) FROM executions)::int AS executions,
  (SELECT sum(turns) FROM executions)::int AS turns,
  (SELECT count(*) FROM journal WHERE type IN (2, 3, 4))::int AS "effectAttempts",
  (SELECT count(*) FROM journal WHERE type = 9)::int AS events`

/**
 * Executions with another number of turns than deliveries (entry types 0, 3, 4, 6, 8, 10 and 12). A cancel that was
 * accepted during the last turn is in the journal, but began no turn.
 */
const MISCOUNTED = `SELECT e.id, e.turns, c.deliveries FROM executions e CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE type IN (0, 3, 4, 6, 8, 10, 12))::int AS deliveries,
      bool_or(type = 12 AND position = e.last_position - 1) AS is_late FROM journal WHERE execution = e.key) AS c
  WHERE e.turns > 0 AND e.turns <> c.deliveries AND NOT (c.is_late AND e.turns = c.deliveries - 1)`

export const miscountedTurns = (
  rows: Rows,
): Promise<readonly { readonly id: string; readonly turns: number; readonly deliveries: number }[]> => rows(MISCOUNTED)

export type Counted = {
  readonly executions: number
  readonly turns: number
  readonly effectAttempts: number
  readonly events: number
}

export const countJournals = async (rows: Rows): Promise<Counted> => (await rows<Counted>(JOURNALED))[0]!

/** Results of effects, with their places. */
const CHARGED = `SELECT e.id, j.command, j.attempt, j.data FROM journal j JOIN executions e ON e.key = j.execution
  WHERE j.type = 3 ORDER BY j.execution, j.position`

export const readResults = (
  rows: Rows,
): Promise<
  readonly { readonly id: string; readonly command: number; readonly attempt: number; readonly data: string }[]
> => rows(CHARGED)

/** Executions of a schedule that belong to none of its times. Each time has one key. */
const EXTRA_FIRINGS = `SELECT e.id FROM executions e
  WHERE e.trigger_type = 'schedule' AND NOT EXISTS (SELECT FROM idempotency i WHERE i.execution = e.key)`

export const extraFirings = (rows: Rows): Promise<readonly { readonly id: string }[]> => rows(EXTRA_FIRINGS)

/** For each Execution of the schedule: the time for which it started, and when it did. */
const FIRED = `SELECT right(i.key, 24) AS at, e.created_at FROM idempotency i JOIN executions e ON e.key = i.execution
  WHERE e.trigger_type = 'schedule'`

export type Firing = { readonly at: number; readonly startedAt: number }

export const readFirings = async (rows: Rows): Promise<readonly Firing[]> =>
  (await rows<{ at: string; created_at: string | number }>(FIRED)).map((row) => ({
    at: Date.parse(row.at),
    startedAt: Number(row.created_at),
  }))

/** Schedules whose time has come some seconds ago. */
const LATE = `SELECT id, wes_now() - next_fire_at AS late FROM triggers WHERE next_fire_at < wes_now() - 4000`

export const lateSchedules = (rows: Rows): Promise<readonly { readonly id: string }[]> => rows(LATE)

/** Rows that belong to Executions which have ended. */
const LEFTOVERS = `SELECT 'pending' AS kind, count(*)::int AS count FROM pending p JOIN executions e ON e.key = p.execution WHERE e.status >= 4
  UNION ALL SELECT 'outcomes', count(*)::int FROM outcomes o JOIN executions e ON e.key = o.execution WHERE e.status >= 4
  UNION ALL SELECT 'inbox', count(*)::int FROM inbox i JOIN executions e ON e.key = i.execution WHERE e.status >= 4`

export const leftovers = async (rows: Rows): Promise<readonly { readonly kind: string; readonly count: number }[]> =>
  (await rows<{ kind: string; count: number }>(LEFTOVERS)).filter(({ count }) => count > 0)

/** Tables with the workspace of each row. The stream of changes keeps ids for a day, and what was used is dropped when it is summed up. */
const OF_WORKSPACES = `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace'
  WHERE c.relnamespace = 'wes'::regnamespace AND c.relkind = 'r' AND c.relname !~ '^(changes|usage_deltas)'`

/** Tables with rows of workspaces that were removed, or are half removed. */
export const rowsOfRemoved = async (
  rows: Rows,
): Promise<readonly { readonly name: string; readonly count: number }[]> => {
  const found: { name: string; count: number }[] = []
  for (const { name } of await rows<{ name: string }>(OF_WORKSPACES)) {
    const [row] = await rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${name} t
       WHERE NOT EXISTS (SELECT FROM workspaces w WHERE w.key = t.workspace AND w.removed_at IS NULL)`,
    )
    if (row!.count > 0) found.push({ name, count: row!.count })
  }
  return found
}

export const transactionsOf = async (rows: Rows): Promise<number> =>
  (
    await rows<{ count: number }>(
      'SELECT (xact_commit + xact_rollback)::int AS count FROM pg_stat_database WHERE datname = current_database()',
    )
  )[0]!.count

const TABLES = `SELECT relname AS name FROM pg_class WHERE relnamespace = 'wes'::regnamespace AND relkind = 'r'`

/** Tables and log files that contain a secret. A Trigger's row may have its publicId. */
export const findSecrets = async (
  rows: Rows,
  folder: string,
  secrets: Readonly<Record<string, string>>,
): Promise<readonly string[]> => {
  const found: string[] = []
  const tables = await rows<{ name: string }>(TABLES)
  for (const [what, secret] of Object.entries(secrets)) {
    for (const { name } of tables) {
      const [row] = await rows<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${name} AS t WHERE strpos(t::text, $1) > 0`,
        [secret],
      )
      const isOwn = what.startsWith('a publicId') && name === 'triggers'
      if (row!.count > 0 && !isOwn) found.push(`${row!.count} rows of ${name} have ${what}`)
    }
  }
  for (const file of logFiles(folder)) {
    const text = readFileSync(file, 'latin1')
    for (const [what, secret] of Object.entries(secrets)) if (text.includes(secret)) found.push(`${file} has ${what}`)
  }
  return found
}

const logFiles = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => path.endsWith('.log') && statSync(path).isFile() && !/[\\/](?:data|db)[\\/]/.test(path))
