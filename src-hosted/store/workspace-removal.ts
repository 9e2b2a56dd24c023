// Removes a workspace: all rows of every table that has its key. A new table with such rows belongs here, or has a foreign key to the
// workspace or to a project, which keeps the removal from ending.

import type { Database } from './database.ts'
import { missesParent, storedNothing } from './postgres-errors.ts'
import type { WorkspaceRemoval } from './store.ts'

const EXECUTIONS_AT_ONCE = 50
const JOURNALS_AT_ONCE = 20
/** Each may hold 16 MiB. */
const VERSIONS_AT_ONCE = 5
const ROWS_AT_ONCE = 1_000

/** Below it, an Execution has not ended. */
const ENDED = 4
const ANY = 100

const KEY = '(SELECT w.key FROM workspaces w WHERE w.id = $1)'

const BEGIN = `SELECT wes_begin_removal(${KEY})`
const EXECUTIONS = `SELECT wes_remove_executions(${KEY}, $2, $3) AS count`
const JOURNALS = `SELECT wes_remove_journals(${KEY}, $2) AS count`
const VERSIONS = `SELECT wes_remove_versions(${KEY}, $2) AS count`
const BEGUN_AGO = 'SELECT wes_now() - w.removed_at AS ms FROM workspaces w WHERE w.id = $1'
const END = `SELECT wes_end_removal(${KEY}) AS is_gone`

/** `rows`: selects the `ctid` of rows of the workspace with the key `w.key`. */
const deleting = (table: string, rows: string): string => `WITH removed AS (
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT f.ctid FROM workspaces w CROSS JOIN LATERAL (${rows} LIMIT $2) AS f WHERE w.id = $1)) RETURNING 1)
  SELECT count(*) AS count FROM removed`
const ofWorkspace = (table: string): string =>
  deleting(table, `SELECT x.ctid FROM ${table} x WHERE x.workspace = w.key`)
const ofProjects = (table: string, more = ''): string =>
  deleting(
    table,
    `SELECT t.ctid FROM projects j CROSS JOIN LATERAL (
        SELECT x.ctid FROM ${table} x WHERE x.project = j.key ${more} LIMIT $2) AS t WHERE j.workspace = w.key`,
  )

/** In this order. What gives access may have been added while the removal began. */
const TABLES: readonly string[] = [
  ofWorkspace('tokens'),
  ofProjects('triggers'),
  ofProjects('trigger_lists'),
  ofProjects('environment'),
  deleting(
    'bulk_items',
    `SELECT t.ctid FROM bulks b CROSS JOIN LATERAL (
        SELECT x.ctid FROM bulk_items x WHERE x.bulk = b.key LIMIT $2) AS t WHERE b.workspace = w.key`,
  ),
  ofWorkspace('bulks'),
  ofProjects('idempotency'),
  ofProjects('error_groups'),
  ofProjects('status_counts'),
  ofProjects('programs', 'AND NOT EXISTS (SELECT FROM versions v WHERE v.program = x.key)'),
  ...['usage_days', 'usage_totals', 'usage_blocks', 'usage_stored'].map(ofWorkspace),
]

export const createWorkspaceRemoval = (db: Database): WorkspaceRemoval => {
  /** Fewer at once, if they are so large that the statement takes too long. */
  const slice = async (text: string, values: readonly unknown[], size: number): Promise<number> => {
    try {
      const [row] = await db.run<{ count: number | null }>(text, [...values, size])
      return row!.count ?? 0
    } catch (error) {
      // Something was added that belongs to these rows: it is removed first, in the next round.
      if (missesParent(error)) return 0
      if (size === 1 || !storedNothing(error)) throw error
      return slice(text, values, Math.ceil(size / 10))
    }
  }

  return {
    begin: async (id) => {
      await db.run(BEGIN, [id])
    },
    endExecutions: (id) => slice(EXECUTIONS, [id, ENDED], EXECUTIONS_AT_ONCE),
    removeSlice: async (id) => {
      const executions = await slice(EXECUTIONS, [id, ANY], EXECUTIONS_AT_ONCE)
      if (executions > 0) return { executions, isMore: true }
      const others = [
        () => slice(JOURNALS, [id], JOURNALS_AT_ONCE),
        () => slice(VERSIONS, [id], VERSIONS_AT_ONCE),
        ...TABLES.map((text) => () => slice(text, [id], ROWS_AT_ONCE)),
      ]
      for (const remove of others) if ((await remove()) > 0) return { executions, isMore: true }
      return { executions, isMore: false }
    },
    begunAgoMs: async (id) => {
      const [row] = await db.run<{ ms: number | null }>(BEGUN_AGO, [id])
      return row && (row.ms ?? 0)
    },
    end: async (id) => {
      const [row] = await db.run<{ is_gone: boolean }>(END, [id])
      return row!.is_gone
    },
  }
}
