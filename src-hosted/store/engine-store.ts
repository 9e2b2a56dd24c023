// The store's port for running Executions, in any process. Its statements name their rows.

import { DamagedExecution } from '../../src-runtime/engine/damaged-execution.ts'
import type { OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import { entryTypeCodes, statusCodes } from '../../src-runtime/shared/row-codes.ts'
import type { JsonText } from '../../src-runtime/engine/journal.ts'
import { changeParameters } from './change-parameters.ts'
import { createClaimDue } from './claim-due.ts'
import type { DatabaseClock } from './clock.ts'
import { createCommits } from './commits.ts'
import type { Database } from './database.ts'
import { toAttemptTaken, toLoaded, type LoadedRow, type TakenRow } from './loaded.ts'
import { readTogether } from './in-batches.ts'
import { parameters } from './parameters.ts'
import { readArtifact } from './program-rows.ts'
import { dataAtPositions, pageOfEntries, toEntryPage, type PagedEntryRow } from './entry-page.ts'
import { PENDING_COLUMNS, toOpenCommand, type PendingRow } from './rows.ts'
import type { EffectKey, EffectOutcome, EngineStore, LeaseMark, OutcomeStored, RetryMark } from './store.ts'
import { createWorkspaceOf } from './workspace-of.ts'

const LOAD = 'SELECT l.* FROM unnest($1::text[]) AS asked (id) CROSS JOIN LATERAL wes_load_part(asked.id, $2) AS l'
const MOST_LOADED = 16
/** Of outcomes, which Executions that are read together share: as much as a plan of one delivers. */
const OUTCOME_BYTES = 4 * 1024 * 1024
/** The first outcome of each is always read, and may be as long. */
const LEAST_OUTCOME_BYTES = 1024 * 1024
const REST = 'SELECT wes_rest($1, $2, $3, $4) AS rests'
const TAKE = 'SELECT * FROM wes_claim_attempt($1, $2, $3, $4, $5)'
const NOTE_UNDER_WAY = 'SELECT wes_note_under_way($1, $2, $3, $4, $5)'
const LET_GO = 'SELECT wes_let_go($1, $2, $3, $4)'
const OUTCOME = 'SELECT wes_outcome($1, $2, $3, $4, $5, $6) AS wake'
const RETRY = `SELECT wes_retry(${parameters(9)}) AS is_stored`
const CLAIM_OVERDUE = 'SELECT ids, last_workspace, is_more FROM wes_claim_overdue($1, $2, $3)'
/** After many claims. */
const LONGEST_SWEEP_MS = 3_600_000
/** A claim whose Execution was visited meanwhile counts no more. */
const CLAIM_AGAIN_SOON = `UPDATE executions SET sweeps = 0, wake_at = least(wake_at, wes_now() + 10000)
  WHERE id = ANY ($1) AND sweeps > 0`
const RETRIES = `SELECT p.project, p.execution, x.id, (SELECT wes_now()) AS at, ${PENDING_COLUMNS}
  FROM pending p JOIN executions x ON x.key = p.execution
  WHERE p.kind = 2 AND p.due_at > (SELECT wes_now()) + 1000 AND (p.project, p.execution, p.command) > ($1, $2::bigint, $3)
  ORDER BY p.project, p.execution, p.command LIMIT $4`
/** Rows that others have locked are being worked on. */
const END_LONG_LEASES = `WITH page AS MATERIALIZED (
    SELECT x.workspace, x.wake_at, x.key, x.sweeps, x.status FROM executions x
    WHERE (x.workspace, x.wake_at, x.key) > ($1, $2::bigint, $3::bigint) AND x.wake_at > (SELECT wes_now()) + $4::bigint
    ORDER BY x.workspace, x.wake_at, x.key LIMIT $5
  ), found AS MATERIALIZED (
    SELECT g.key, g.wake_at FROM page g WHERE (g.sweeps = 0 OR g.wake_at > (SELECT wes_now()) + ${LONGEST_SWEEP_MS})
      AND (g.status <> ${statusCodes.toCode('waiting')} OR EXISTS (
        SELECT FROM pending p WHERE p.execution = g.key AND p.kind = 2 AND coalesce(p.due_at, 0) <= (SELECT wes_now())))
  ), long AS MATERIALIZED (
    SELECT x.key FROM found f JOIN executions x ON x.key = f.key AND x.wake_at = f.wake_at
    ORDER BY x.key FOR NO KEY UPDATE OF x SKIP LOCKED
  ), moved AS (
    UPDATE executions e SET sweeps = 0, wake_at = wes_now() FROM long l WHERE e.key = l.key
  )
  SELECT g.workspace, g.wake_at AS "wakeAt", g.key FROM page g ORDER BY g.workspace DESC, g.wake_at DESC, g.key DESC LIMIT 1`
/** Those that wait for a timer are found when it is due. Without an order, for which PostgreSQL would read all Executions. */
const END_LEASES = `WITH leased AS MATERIALIZED (
    SELECT x.key FROM executions x
    WHERE x.wake_at > (SELECT wes_now()) - $2::bigint
      AND x.wake_at <= (SELECT wes_now()) + $4::bigint AND (x.sweeps > 0 OR x.wake_at <= (SELECT wes_now()) + $1::bigint)
      AND NOT EXISTS (SELECT FROM pending p WHERE p.execution = x.key AND p.due_at = x.wake_at)
    LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
  ), moved AS (
    UPDATE executions e SET sweeps = 0, wake_at = wes_now() - $2::bigint FROM leased l WHERE e.key = l.key RETURNING e.key
  )
  SELECT count(*)::int AS count FROM moved`
const NEXT_WAKE = 'SELECT wes_next_wake() AS at'
const RUNNING = 'SELECT key FROM executions WHERE key = ANY ($1::bigint[]) AND status < 4'
const CANCEL_DELIVERED = `SELECT at FROM journal
  WHERE execution = $1 AND type = ${entryTypeCodes.toCode('cancel_requested')} ORDER BY position DESC LIMIT 1`
const STILL_PERFORM = 'SELECT id, command, attempt FROM wes_still_perform($1, $2, $3, $4)'
const HEAR = 'SELECT wes_hear($1)'
const NOTE_ADDRESS = 'SELECT url FROM wes_note_address($1, $2, $3) AS a (url)'
const APPEND_LOGS = 'SELECT wes_append_logs($1, $2, $3, $4)'
const DATA = dataAtPositions('$1', '$2')
/** All but logs, failed attempts and received events. */
const OF_TURNS = 'type NOT IN (2, 9, 11)'
const RECORDED = pageOfEntries(`execution = $1 AND position > $2 AND ${OF_TURNS}`, '$3')
const LAST_TURN = `SELECT at FROM journal WHERE execution = $1 AND ${OF_TURNS} ORDER BY position DESC LIMIT 1`

export const createEngineStore = (db: Database, clock: DatabaseClock): EngineStore => ({
  load: createLoad(db, clock),

  commit: createCommits(db, clock),

  rest: async ({ key, turns, stirred }, wakeAt) => {
    const [row] = await db.run<{ rests: boolean }>(REST, [key, turns, stirred, wakeAt ?? null])
    return row!.rests
  },

  takeAttempt: async ({ executionId, command, attempt }, performer, deadAfterMs) => {
    const [row] = await db.run<TakenRow>(TAKE, [executionId, command, attempt, performer, deadAfterMs])
    return toAttemptTaken(row!)
  },
  noteUnderWay: async ({ executionId, command, attempt }, performer, isUnderWay) => {
    await db.run(NOTE_UNDER_WAY, [executionId, command, attempt, performer, isUnderWay])
  },
  letGo: async ({ executionId, command, attempt }, performer) => {
    await db.run(LET_GO, [executionId, command, attempt, performer])
  },
  outcome: (effect, outcome) => storeOutcome(db, effect, outcome),

  overdue: createClaimOverdue(db),
  dueTimers: createClaimDue(db, clock, 'wes_claim_timers', (executionId, due) => ({ executionId, ...due })),
  retries: createRetries(db),
  endLongLeases: async (after, leaseMs, limit) => {
    const { workspace, wakeAt, key } = after ?? { workspace: 0, wakeAt: 0, key: 0 }
    const [last] = await db.run<LeaseMark>(END_LONG_LEASES, [workspace, wakeAt, key, leaseMs, limit])
    return last
  },
  endLeases: async ({ withinMs, claimedWithinMs, overdueMs, limit }) => {
    const [row] = await db.run<{ count: number }>(END_LEASES, [withinMs, overdueMs, limit, claimedWithinMs])
    return row!.count === limit
  },
  nextWakeAt: async () => (await db.run<{ at: number | null }>(NEXT_WAKE))[0]?.at ?? undefined,
  workspaceOf: createWorkspaceOf(db),
  endedAmong: async (keys) => {
    const running = new Set((await db.run<{ key: number }>(RUNNING, [keys])).map(({ key }) => key))
    return keys.filter((key) => !running.has(key))
  },

  stillPerforms: async (effects, performer) => {
    const rows = await db.run<{ id: string; command: number; attempt: number }>(STILL_PERFORM, [
      effects.map(({ executionId }) => executionId),
      effects.map(({ command }) => command),
      effects.map(({ attempt }) => attempt),
      performer,
    ])
    return rows.map(({ id, command, attempt }) => ({ executionId: id, command, attempt }))
  },
  noteAlive: async (performer) => {
    await db.run(HEAR, [performer])
  },
  noteAddress: async (url, release, others) => {
    const rows = await db.run<{ url: string }>(NOTE_ADDRESS, [url, release, others])
    return rows.map((row) => row.url)
  },
  appendLogs: async (key, entries) => {
    const { entries: rows, entryCount, bytes } = changeParameters({ entries })
    await db.run(APPEND_LOGS, [key, rows, entryCount, bytes])
  },

  artifact: (versionId) => readArtifact(db, versionId),
  lastTurnAt: async (key) => (await db.run<{ at: number }>(LAST_TURN, [key]))[0]?.at,
  recorded: async (key, afterPosition, limit) =>
    toEntryPage(await db.run<PagedEntryRow>(RECORDED, [key, afterPosition, limit + 1]), limit),
  dataAt: async (key, positions) => {
    if (positions.length === 0) return new Map()
    const rows = await db.run<{ position: number; data: JsonText | null }>(DATA, [key, positions])
    return new Map(rows.map(({ position, data }) => [position, data ?? '{}']))
  },
})

/**
 * Executions that are asked for at the same moment are one read, whatever their workspaces: who asks knows only their ids.
 * `wes_worker` may read the rows of all workspaces, a read waits for no lock of a row, and a worker reads few at once.
 */
const createLoad = (db: Database, clock: DatabaseClock): EngineStore['load'] => {
  const idOf = ({ head }: LoadedRow): string => head.id
  const loadTogether = readTogether(MOST_LOADED, idOf, async (ids: readonly string[]) => {
    const bytes = Math.max(Math.floor(OUTCOME_BYTES / ids.length), LEAST_OUTCOME_BYTES)
    const askedAt = performance.now()
    const rows = await db.run<LoadedRow>(LOAD, [ids, bytes])
    for (const { at } of rows) clock.told(at, askedAt)
    return rows
  })
  return async (executionId) => {
    const row = await loadTogether(executionId)
    if (row === undefined) return undefined
    if (!row.head.cancel_delivered) return toLoaded(row)
    const [cancel] = await db.run<{ at: number }>(CANCEL_DELIVERED, [row.head.key])
    return { ...toLoaded(row), ...(cancel !== undefined && { cancelDeliveredAt: cancel.at }) }
  }
}

type OverdueRow = { readonly ids: readonly string[]; readonly last_workspace: number | null; readonly is_more: boolean }

const createClaimOverdue = (db: Database): EngineStore['overdue'] => {
  /** The key of the workspace whose turn was last. */
  let last = 0
  return async ({ graceMs, limit, isTry = false }) => {
    const [row] = await db.run<OverdueRow>(CLAIM_OVERDUE, [graceMs, limit, last])
    const { ids, last_workspace: lastWorkspace, is_more: isMore } = row!
    last = lastWorkspace ?? last
    if (isTry && ids.length > 0) await db.run(CLAIM_AGAIN_SOON, [ids])
    return { ids, isMore }
  }
}

type RetryRow = PendingRow & RetryMark & { readonly id: string; readonly at: number }

const createRetries =
  (db: Database): EngineStore['retries'] =>
  async (after, limit) => {
    const { project, execution, command } = after ?? { project: 0, execution: 0, command: 0 }
    const rows = await db.run<RetryRow>(RETRIES, [project, execution, command, limit])
    const last = rows.at(-1)
    return {
      now: last?.at ?? 0,
      effects: rows.flatMap(readRetry),
      next: rows.length === limit ? last : undefined,
    }
  }

/** One that is damaged fails its Execution once it is due. */
const readRetry = ({
  id,
  ...row
}: RetryRow): readonly { readonly executionId: string; readonly effect: OpenEffect }[] => {
  try {
    const effect = toOpenCommand(row)
    return effect.kind === 'effect' ? [{ executionId: id, effect }] : []
  } catch (error) {
    if (error instanceof DamagedExecution) return []
    throw error
  }
}

const storeOutcome = async (db: Database, effect: EffectKey, outcome: EffectOutcome): Promise<OutcomeStored> => {
  const of = [effect.executionId, effect.command, effect.attempt]
  const computeMs = Math.ceil(outcome.computeMs ?? 0)
  if (outcome.kind === 'retry') {
    const { next, entry, wakeAt } = outcome
    const values = [next.attempt, next.dueAt ?? entry.at, entry.at, entry.data ?? '{}', wakeAt, computeMs]
    const [row] = await db.run<{ is_stored: boolean }>(RETRY, [...of, ...values])
    return row!.is_stored ? { kind: 'stored', wake: false } : { kind: 'late' }
  }
  const [row] = await db.run<{ wake: boolean | null }>(OUTCOME, [
    ...of,
    outcome.kind === 'result',
    outcome.data,
    computeMs,
  ])
  const { wake } = row!
  return wake === null ? { kind: 'late' } : { kind: 'stored', wake }
}
