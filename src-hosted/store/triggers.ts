// Triggers: the lists of one workspace's projects, and single ones of whichever workspace, when they are called or due.

import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { createClaimDue } from './claim-due.ts'
import type { DatabaseClock } from './clock.ts'
import type { Database } from './database.ts'
import { readTogether } from './in-batches.ts'
import { isKnowable, type Scope } from './scope.ts'
import { toStored } from './stored-text.ts'
import type {
  Fired,
  NextTime,
  OwnedTrigger,
  ScheduleStore,
  TriggerList,
  TriggerRecord,
  TriggerStore,
} from './tenancy.ts'
import { rowOf, toSchedule, toTrigger, toWebhook, TRIGGER_COLUMNS, type TriggerRow } from './trigger-rows.ts'

/** A row for a project without Triggers, too. */
const LIST = `SELECT wes_now() AS now, coalesce(l.revision, 0) AS revision, t.*
  FROM projects q LEFT JOIN trigger_lists l ON l.project = q.key LEFT JOIN (
    SELECT ${TRIGGER_COLUMNS}, t.project, t.position FROM triggers t JOIN programs p ON p.key = t.program
      JOIN projects j ON j.key = t.project) AS t ON t.project = q.key
  WHERE q.workspace = scope.workspace AND q.id = $2 ORDER BY t.position`
const ONE = `SELECT ${TRIGGER_COLUMNS} FROM triggers t JOIN programs p ON p.key = t.program JOIN projects j ON j.key = t.project
  WHERE t.workspace = scope.workspace AND j.id = $2 AND t.id = $3`
const MISSING = `SELECT n.id FROM unnest($3::text[]) WITH ORDINALITY AS n (id, place) WHERE NOT EXISTS (
    SELECT FROM programs p JOIN projects j ON j.key = p.project
    WHERE j.workspace = scope.workspace AND j.id = $2 AND p.id = n.id) ORDER BY n.place`
const REPLACE = 'SELECT wes_replace_triggers($1, $2, $3, $4) AS is_replaced'
const NOTE_FIRED = 'SELECT wes_note_fired($1, $2, $3, $4)'

type ListRow = { readonly now: number; readonly revision: number } & {
  readonly [Name in keyof TriggerRow]: TriggerRow[Name] | null
}

export const createTriggerStore = (scope: Scope): TriggerStore => {
  const read = async (projectId: string): Promise<TriggerList & { readonly now: number | undefined }> => {
    const rows = await scope.read<ListRow>(LIST, [projectId])
    const items = rows.filter((row) => row.id !== null).map((row) => toTrigger(row as TriggerRow))
    return { revision: rows[0]?.revision ?? 0, now: rows[0]?.now, items }
  }

  return {
    list: read,
    get: async (projectId, id) => {
      const [row] = await scope.read<TriggerRow>(ONE, [projectId, id])
      return row && toTrigger(row)
    },
    missingPrograms: async (projectId, programIds) => {
      const known = programIds.filter(isKnowable)
      const missing = await scope.read<{ id: string }>(MISSING, [projectId, known])
      return [...programIds.filter((id) => !isKnowable(id)), ...missing.map(({ id }) => id)]
    },
    replace: async (projectId, decide) => {
      for (;;) {
        const current = await read(projectId)
        // Nothing of a project that was removed meanwhile is ever replaced.
        if (current.now === undefined) throw new StoreUnavailableError(`the project ${projectId} was removed`)
        const items = decide(current, current.now)
        const before = new Map(current.items.map((trigger) => [trigger.id, trigger]))
        const rows = JSON.stringify(items.map((trigger) => rowOf(trigger, before.get(trigger.id))))
        const [row] = await scope.call<{ is_replaced: boolean }>(REPLACE, [projectId, current.revision, rows])
        if (!row!.is_replaced) continue
        // A schedule may have fired meanwhile.
        const stored = await read(projectId)
        const revision = current.revision + 1
        return { revision, items: stored.revision === revision ? stored.items : items }
      }
    },
    noteFired: async (id, fired) => {
      await scope.call(NOTE_FIRED, [id, ...outcomeOf(fired)])
    },
  }
}

const outcomeOf = (fired: Fired): readonly [executionId: string | null, failure: string | null] =>
  'executionId' in fired ? [fired.executionId, null] : [null, toStored(fired.error)]

type OwnedRow = TriggerRow & {
  readonly workspace_id: string
  readonly default_project_id: string
  readonly now: number
}

const OWNED = `SELECT ${TRIGGER_COLUMNS}, w.id AS workspace_id, d.id AS default_project_id, wes_now() AS now
  FROM triggers t JOIN programs p ON p.key = t.program JOIN projects j ON j.key = t.project
  JOIN workspaces w ON w.key = t.workspace AND w.removed_at IS NULL JOIN projects d ON d.workspace = w.key AND d.is_default`
const BY_PUBLIC_IDS = `${OWNED} WHERE t.public_id = ANY ($1::text[])`
const BY_ID = `${OWNED} WHERE t.id = $1 AND t.type = 'schedule'`
/**
 * A refusal counts only for the schedule as it was seen, and the next time only by the clock as it is: if that was set back since, nobody
 * would find the time again. The lock waits for whoever changes the schedule.
 */
const ADVANCE = `SELECT wes_advance_schedule($1, $2, $3, $4, $5)
  FROM (SELECT FROM triggers WHERE id = $1 AND ($4::text IS NOT NULL OR updated_at = $6)
    AND wes_now() >= $7 FOR NO KEY UPDATE) AS t`
/** A claim ends soon after it was made. */
const END_LONG_CLAIMS =
  'UPDATE triggers SET claimed_until = NULL, claimed_time = NULL WHERE claimed_until > wes_now() + 60000'
/** The next time was found when the schedule was changed or fired last. Firing it by hand leaves a later time as it is. */
const LIST_FOUND_LATER = `SELECT id, cron, timezone, next_fire_at AS "nextFireAt", (SELECT wes_now()) AS now FROM triggers
  WHERE next_fire_at IS NOT NULL AND greatest(updated_at, last_fired_at) > (SELECT wes_now()) AND id > $1 ORDER BY id LIMIT $2`
const BRING_FORWARD = 'UPDATE triggers SET next_fire_at = $3 WHERE id = $1 AND next_fire_at = $2'
const NEXT_FIRE = 'SELECT next_fire_at AS at FROM triggers WHERE next_fire_at IS NOT NULL ORDER BY next_fire_at LIMIT 1'

/** Anybody may call an address, so calls take few of the connections, however many come at once. */
const MOST_CALLED = 256

/** Of all workspaces. */
export const createScheduleStore = (db: Database, clock: DatabaseClock): ScheduleStore => ({
  findWebhook: createFindWebhook(db),
  findSchedule: async (id) => {
    const [row] = await db.run<OwnedRow>(BY_ID, [id])
    return row && { ...ownedBy(row, toSchedule(row)), now: row.now }
  },
  advance: async ({ id, updatedAt }, { at, now }, next, fired) =>
    (await db.run(ADVANCE, [id, at, next ?? null, ...outcomeOf(fired), updatedAt, now])).length > 0,
  endLongClaims: async () => {
    await db.run(END_LONG_CLAIMS)
  },
  foundLater: async (after, limit) => {
    const rows = await db.run<NextTime & { readonly now: number }>(LIST_FOUND_LATER, [after, limit])
    return { now: rows[0]?.now ?? 0, items: rows.map(({ now: _, ...item }) => item) }
  },
  bringForward: async (id, at, next) => {
    await db.run(BRING_FORWARD, [id, at, next])
  },
  claimDue: createClaimDue(db, clock, 'wes_claim_schedules', (triggerId, due) => ({ triggerId, ...due })),
  nextFireAt: async () => (await db.run<{ at: number }>(NEXT_FIRE))[0]?.at,
})

const createFindWebhook = (db: Database): ScheduleStore['findWebhook'] => {
  const read = readTogether(
    MOST_CALLED,
    (row: OwnedRow) => row.public_id,
    (publicIds) => db.run<OwnedRow>(BY_PUBLIC_IDS, [publicIds]),
  )
  return async (publicId) => {
    const row = await read(publicId)
    return row && ownedBy(row, toWebhook(row))
  }
}

const ownedBy = <Record extends TriggerRecord>(row: OwnedRow, trigger: Record): OwnedTrigger<Record> => ({
  workspaceId: row.workspace_id,
  defaultProjectId: row.default_project_id,
  trigger,
})
