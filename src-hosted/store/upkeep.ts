// Regular work that any process may do, in slices.

import type { Database } from './database.ts'
import { CHANGE_SLOTS, SLOT_MS } from './migrations/004-changes.ts'
import { storedNothing } from './postgres-errors.ts'
import type { Upkeep } from './store.ts'

const FOLDED_AT_ONCE = 10_000
const KEYS_AT_ONCE = 1_000
const ENDED_AT_ONCE = 50
const GROUPS_AT_ONCE = 100
const BULKS_AT_ONCE = 10
/** Parts of deleted journals in one pass. */
const PARTS_AT_ONCE = 50
/** Of one workspace, before it is the next one's turn. */
const SLICES_AT_ONCE = 20

const FOLD = 'SELECT wes_fold($1) AS count'
const EMPTY = 'SELECT wes_empty_changes($1)'
const REMOVE_KEYS = 'SELECT wes_remove_keys($1) AS count'
const REMOVE_REST = 'SELECT wes_remove_rest() AS found'
const REMOVE_GROUPS = 'SELECT wes_remove_groups($1) AS count'
const REMOVE_BULKS = 'SELECT wes_remove_bulks($1) AS count'
const REMOVE_ENDED = 'SELECT wes_remove_ended($1, $2, $3) AS count'
/** With the time at which the first of their Executions ended: most workspaces have nothing to remove. */
const WORKSPACES = `SELECT w.key, w.id, (
    SELECT min(f.finished_at) FROM projects j CROSS JOIN LATERAL (
      SELECT x.finished_at FROM executions x WHERE x.project = j.key AND x.finished_at IS NOT NULL ORDER BY x.finished_at LIMIT 1
    ) AS f WHERE j.workspace = w.key) AS first_end
  FROM workspaces w WHERE w.key > $1 ORDER BY w.key LIMIT 1000`

export const createUpkeep = (db: Database, now: () => number): Upkeep => {
  const count = async (text: string, values: readonly unknown[]): Promise<number> => {
    const [row] = await db.run<{ count: number }>(text, values)
    return row!.count
  }

  /** The part of the stream that the next hour is written to. */
  const emptyChanges = () => db.run(EMPTY, [Math.floor(now() / SLOT_MS + 1) % CHANGE_SLOTS])

  const removeRest = async (isStopped: () => boolean): Promise<boolean> => {
    for (let parts = 0; parts < PARTS_AT_ONCE && !isStopped(); parts += 1) {
      const [row] = await db.run<{ found: boolean }>(REMOVE_REST)
      if (!row!.found) return false
    }
    return true
  }

  /** Fewer at once, if their journals are so large that the statement takes too long. */
  const removeSlice = async (key: number, before: number, size = ENDED_AT_ONCE): Promise<boolean> => {
    try {
      return (await count(REMOVE_ENDED, [key, before, size])) === size
    } catch (error) {
      if (size === 1 || !storedNothing(error)) throw error
      return removeSlice(key, before, Math.ceil(size / 10))
    }
  }

  /** Whether more is left. */
  const removeEndedOf = async (key: number, before: number, isStopped: () => boolean): Promise<boolean> => {
    for (let slices = 0; slices < SLICES_AT_ONCE && !isStopped(); slices += 1) {
      if (!(await removeSlice(key, before))) return false
    }
    return true
  }

  return {
    fold: async () => (await count(FOLD, [FOLDED_AT_ONCE])) === FOLDED_AT_ONCE,
    removeOld: async (isStopped = () => false) => {
      await emptyChanges()
      const keys = await count(REMOVE_KEYS, [KEYS_AT_ONCE])
      const groups = await count(REMOVE_GROUPS, [GROUPS_AT_ONCE])
      const bulks = await count(REMOVE_BULKS, [BULKS_AT_ONCE])
      const isMore = await removeRest(isStopped)
      return isMore || keys === KEYS_AT_ONCE || groups === GROUPS_AT_ONCE || bulks === BULKS_AT_ONCE
    },
    removeEnded: async (endedBefore, isStopped = () => false) => {
      let isMore = false
      let failure: { readonly error: unknown } | undefined
      for (let after = 0; ;) {
        const workspaces = await db.run<{ key: number; id: string; first_end: number | null }>(WORKSPACES, [after])
        for (const { key, id, first_end: firstEnd } of workspaces) {
          if (isStopped()) return true
          const before = endedBefore(id)
          if (before === undefined || firstEnd === null || firstEnd >= before) continue
          try {
            isMore = (await removeEndedOf(key, before, isStopped)) || isMore
          } catch (error) {
            if (!storedNothing(error)) throw error
            failure ??= { error } // the other workspaces do not wait for it
          }
        }
        const last = workspaces.at(-1)
        if (last === undefined) break
        after = last.key
      }
      if (failure !== undefined) throw failure.error
      return isMore
    },
  }
}
