// Executions: the composition of their tables into the port.

import type Database from 'better-sqlite3'
import { isTerminal } from '../engine/journal.ts'
import { createChangeExecution } from './change-execution.ts'
import { createErrorSearch } from './error-search.ts'
import { createListKeys } from './execution-list.ts'
import { createExecutionRows } from './execution-rows.ts'
import type { GroupCommit } from './group-commit.ts'
import { createIdempotency } from './idempotency.ts'
import { createInbox } from './inbox.ts'
import { createAppendEntry } from './journal.ts'
import { toBoundedPage } from './page.ts'
import { createPendingTable } from './pending.ts'
import { createUnfinished } from './recovery.ts'
import { createStartExecution } from './start-execution.ts'
import type { ExecutionRecord, ExecutionStore } from './store.ts'
import type { Timeline } from './timeline.ts'
import type { VersionRefs } from './version-refs.ts'

/** An Execution may wait for 10,000 things at once, and a page shows them all. */
const WAITING_FOR = { of: ({ waitingFor }: ExecutionRecord) => waitingFor.length, budget: 10_000 }

export const createExecutionStore = (options: {
  readonly db: Database.Database
  readonly now: () => number
  readonly group: GroupCommit
  readonly versions: VersionRefs
  readonly timeline: Timeline
}): ExecutionStore => {
  const { db, now, group, versions, timeline } = options
  const rows = createExecutionRows(db, versions)
  const pending = createPendingTable(db)
  const inbox = createInbox(db)
  const appendEntry = createAppendEntry(db)
  const idempotency = createIdempotency(db, now)
  const start = createStartExecution({
    db,
    idempotency,
    versions,
    timeline,
    appendEntry,
    lastKey: rows.lastKey(),
  })
  const change = createChangeExecution(db, {
    rows,
    pending,
    inbox,
    appendEntry,
    errorSearch: createErrorSearch(db, versions),
  })
  const listKeys = createListKeys(db, timeline, rows.lastKey)

  const record = (key: number): ExecutionRecord | undefined => {
    const head = rows.head(key)
    if (head === undefined) return undefined
    const error = head.status === 'failed' ? rows.error(key) : undefined
    return {
      head,
      ...(error === undefined ? {} : { error }),
      waitingFor: isTerminal(head.status) || head.lastCommand === 0 ? [] : pending.of(key),
    }
  }

  return {
    start: (execution) => group.commit(start(execution)),
    startedWith: idempotency.startedWith,
    change: (key, decide) => group.commit(change(key, decide)),
    keyOf: rows.keyOf,
    head: rows.head,
    record,
    list: (query) => toBoundedPage(listKeys(query, query.limit + 1), query.limit, record, WAITING_FOR),
    load: (key) => {
      const head = rows.head(key)
      if (head === undefined) return undefined
      return {
        head,
        open: head.lastCommand === 0 ? [] : pending.of(key),
        buffered: head.buffered === 0 ? [] : inbox.of(key),
      }
    },
    nextDueAt: pending.nextDueAt,
    due: pending.due,
    unfinished: createUnfinished(db),
  }
}
