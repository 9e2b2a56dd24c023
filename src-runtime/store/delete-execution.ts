// Deletes an ended Execution: its row and its index entries in one transaction, then a long journal in parts, if
// necessary after a restart.

import type Database from 'better-sqlite3'
import { isTerminal } from '../engine/journal.ts'
import type { ErrorGroups } from './error-groups.ts'
import type { ExecutionRows } from './execution-rows.ts'
import type { GroupCommit } from './group-commit.ts'
import type { Plan } from './shared-transaction.ts'
import { prepare } from './prepare.ts'
import type { Deleted } from '../ports/executions.ts'
import type { TextIndex } from './text-search.ts'
import { touchedExecution } from './touched.ts'
import type { VersionRefs } from './version-refs.ts'

/** Limits of one write: entries and bytes of a journal. */
const ENTRIES_AT_ONCE = 200
const BYTES_AT_ONCE = 1024 * 1024

type DeletedHere =
  | Exclude<Deleted, { kind: 'deleted' }>
  /** `isAll`: its whole journal was removed as well. */
  | { readonly kind: 'deleted'; readonly isAll: boolean }

export type DeleteExecution = {
  readonly plan: (key: number) => Plan<DeletedHere | undefined>
  /**
   * Removes the remaining journals of deleted Executions. Settles when all are removed, or the store refuses the write.
   */
  readonly sweep: () => Promise<void>
}

export const createDeleteExecution = (
  db: Database.Database,
  tables: {
    readonly group: GroupCommit
    readonly rows: ExecutionRows
    readonly errorSearch: TextIndex
    readonly labelSearch: TextIndex
    readonly errorGroups: ErrorGroups
    readonly versions: VersionRefs
  },
): DeleteExecution => {
  const { group, rows, errorSearch, labelSearch, errorGroups, versions } = tables
  const deleteRow = prepare(db, 'DELETE FROM executions WHERE key = ?')
  const deleteEventKeys = prepare(db, 'DELETE FROM event_keys WHERE execution = ?')
  const noteKey = prepare(db, 'UPDATE deleted_keys SET highest = max(highest, ?)')
  const noteRest = prepare(db, 'INSERT OR IGNORE INTO deletions (execution) VALUES (?)')
  const forgetRest = prepare(db, 'DELETE FROM deletions WHERE execution = ?')
  const selectRest = prepare<[], number>(db, 'SELECT execution FROM deletions ORDER BY execution LIMIT 1').pluck()
  const removeEntries = createRemoveEntries(db)
  let sweeping: Promise<void> | undefined

  const sweepAll = async (): Promise<void> => {
    for (;;) {
      const key = selectRest.get()
      if (key === undefined) return
      await group.commit<void>(() => ({
        write: () => {
          if (removeEntries(key) === 'all') forgetRest.run(key)
          return { result: undefined }
        },
      }))
    }
  }

  return {
    plan: (key) => () => {
      const head = rows.head(key)
      if (head === undefined) return { result: undefined }
      if (!isTerminal(head.status)) return { result: { kind: 'not_finished', status: head.status } }
      const { versionId, status } = head
      return {
        write: () => {
          if (status === 'failed') {
            errorSearch.remove(key)
            errorGroups.remove(key)
          }
          if (head.label !== undefined) labelSearch.remove(key)
          deleteRow.run(key)
          rows.recent.drop(key)
          deleteEventKeys.run(key)
          noteKey.run(key)
          const isAll = removeEntries(key) === 'all'
          if (!isAll) noteRest.run(key)
          const version = versions.byId(versionId)
          return {
            result: { kind: 'deleted', isAll },
            ...(version !== undefined && { moved: { version: version.key, from: status } }),
            touched: { ...touchedExecution(head), deleted: true },
          }
        },
      }
    },
    sweep: () => {
      // If the store closes or is full, the next sweep removes the rest.
      sweeping ??= sweepAll()
        .catch(() => undefined)
        .finally(() => {
          sweeping = undefined
        })
      return sweeping
    },
  }
}

const createRemoveEntries = (db: Database.Database): ((key: number) => 'all' | 'some') => {
  // SQLite reads the sizes from the rows' headers, without the payloads.
  const selectFirst = prepare<[number], { readonly position: number; readonly bytes: number }>(
    db,
    `SELECT position, coalesce(octet_length(data), 0) AS bytes FROM journal WHERE execution = ?
     ORDER BY position LIMIT ${ENTRIES_AT_ONCE + 1}`,
  )
  const removeUpTo = prepare(db, 'DELETE FROM journal WHERE execution = ? AND position <= ?')
  return (key) => {
    const entries = selectFirst.all(key)
    let bytes = 0
    const tooMany = entries.findIndex((entry, index) => (bytes += entry.bytes) > BYTES_AT_ONCE && index > 0)
    const removed = entries.slice(0, Math.min(ENTRIES_AT_ONCE, tooMany < 0 ? Infinity : tooMany))
    const last = removed.at(-1)
    if (last !== undefined) removeUpTo.run(key, last.position)
    return removed.length === entries.length ? 'all' : 'some'
  }
}
