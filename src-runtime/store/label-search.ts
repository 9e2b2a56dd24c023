// Finds Executions by text in their label. Starts do not write the index, because a write of its own costs it a
// millisecond: whoever searches begins to index what was started since the last search, and meanwhile reads those rows.

import type Database from 'better-sqlite3'
import type { GroupCommit } from './group-commit.ts'
import type { ListKeys } from './list-keys.ts'
import { prepare } from './prepare.ts'
import { overlap } from './slices.ts'
import { createSearchTexts, createTextIndex, type TextIndex } from './text-search.ts'

export type LabelSearch = TextIndex & {
  /** Keys of Executions that match a filter with a label. `rows` reads the rows for it. */
  readonly find: (rows: ListKeys) => ListKeys
  /** After a rollback. */
  readonly forget: () => void
}

/** Reading so many rows takes no longer than looking into the index. */
const FEW_ROWS = 1_000
/** Executions whose labels are indexed in one write: some milliseconds. */
const AT_ONCE = 1_000

type Labelled = {
  readonly key: number
  readonly label: string
  readonly projectKey: number
  readonly programKey: number
  readonly number: number
}

export const createLabelSearch = (
  db: Database.Database,
  lastKey: () => number,
  commit: GroupCommit['commit'],
): LabelSearch => {
  const index = createTextIndex(db, 'label')
  const search = createSearchTexts(db, 'label')
  const selectMark = prepare<[], number>(db, 'SELECT key FROM label_mark').pluck()
  const updateMark = prepare<[number]>(db, 'UPDATE label_mark SET key = ?')
  const selectLabelled = prepare<[number, number], Labelled>(
    db,
    `SELECT e.key AS key, e.label AS label, v.project AS projectKey, v.program AS programKey, v.number AS number
     FROM executions e CROSS JOIN versions v ON v.key = e.version WHERE e.key > ? AND e.key <= ? AND e.label IS NOT NULL`,
  )
  /** The labels of Executions up to this key are in the index. */
  let mark: number | undefined
  let filling: Promise<void> | undefined

  const indexedUpTo = (): number => (mark ??= selectMark.get() ?? 0)

  const indexSome = () =>
    commit<void>(() => ({
      write: () => {
        const from = indexedUpTo()
        const to = Math.max(from, Math.min(from + AT_ONCE, lastKey()))
        for (const { key, label, ...version } of selectLabelled.all(from, to)) index.insert(key, label, version)
        updateMark.run(to)
        mark = to
        return { result: undefined }
      },
    }))

  const fill = async (): Promise<void> => {
    while (lastKey() - indexedUpTo() > FEW_ROWS) await indexSome()
  }

  return {
    insert: (key, label, version) => {
      if (key <= indexedUpTo()) index.insert(key, label, version)
    },
    remove: (key) => {
      if (key <= indexedUpTo()) index.remove(key)
    },
    find: (rows) => async (filter, range, count, slices) => {
      if (filter.statuses === 0) return []
      const first = indexedUpTo() + 1
      // If the store closes or is full, a later search indexes them.
      filling ??= fill()
        .catch(() => undefined)
        .finally(() => {
          filling = undefined
        })
      const newer = await rows(filter, overlap(range, { low: first, high: range.high }), count, slices)
      if (newer.length === count) return newer
      const older = overlap(range, { low: range.low, high: first })
      if (older.low >= older.high) return newer
      const found = await search(filter.label ?? '', filter, older, count - newer.length, slices)
      return newer.concat(found ?? (await rows(filter, older, count - newer.length, slices)))
    },
    forget: () => {
      mark = undefined
    },
  }
}
