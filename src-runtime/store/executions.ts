// Implements the port for Executions.

import type Database from 'better-sqlite3'
import { DamagedExecution } from '../engine/damaged-execution.ts'
import type { ExecutionHead, OpenCommand } from '../engine/execution-state.ts'
import { isTerminal, type JsonText } from '../engine/journal.ts'
import type { ChangedKeys } from './changed-keys.ts'
import { createChangeExecution, receivedWith } from './change-execution.ts'
import { createDeleteExecution } from './delete-execution.ts'
import { createErrorGroups } from './error-groups.ts'
import { createErrorSearch } from './error-search.ts'
import type { ExecutionRows } from './execution-rows.ts'
import type { GroupCommit } from './group-commit.ts'
import { createEventKeys, createStartKeys } from './idempotency.ts'
import { createInbox } from './inbox.ts'
import { createAppendEntry } from './journal.ts'
import { createPendingTable } from './pending.ts'
import { prepare } from './prepare.ts'
import { createUnfinished } from './recovery.ts'
import { createStartExecution } from './start-execution.ts'
import type { ExecutionRecord, JournalReads, OutcomeRecord } from '../ports/executions.ts'
import type { ExecutionStore } from './store.ts'
import type { Timeline } from './timeline.ts'
import type { VersionRefs } from './version-refs.ts'
import type { TextIndex } from './text-search.ts'
import type { WaitingBlocks } from './waiting-blocks.ts'

const FIRST_POSITION = 1

export const createExecutionStore = (options: {
  readonly db: Database.Database
  readonly now: () => number
  readonly group: GroupCommit
  readonly versions: VersionRefs
  readonly timeline: Timeline
  readonly rows: ExecutionRows
  readonly blocks: WaitingBlocks
  readonly labelSearch: TextIndex
  readonly changed: ChangedKeys
  readonly entry: JournalReads['entry']
}): ExecutionStore => {
  const { db, now, group, versions, timeline, rows, blocks, labelSearch, changed, entry } = options
  const pending = createPendingTable(db)
  const inbox = createInbox(db)
  const appendEntry = createAppendEntry(db)
  const startKeys = createStartKeys(db, now)
  const eventKeys = createEventKeys(db, now)
  const selectProject = prepare<[string], number>(db, 'SELECT key FROM projects WHERE id = ?').pluck()
  const start = createStartExecution({
    db,
    startKeys,
    versions,
    timeline,
    appendEntry,
    recent: rows.recent,
    lastKey: rows.highestKey(),
  })
  const errorSearch = createErrorSearch(db)
  const errorGroups = createErrorGroups(db)
  const change = createChangeExecution(db, {
    rows,
    pending,
    inbox,
    appendEntry,
    errorSearch,
    labelSearch,
    errorGroups,
    versions,
    blocks,
    changed,
    eventKeys,
  })
  const deletion = createDeleteExecution(db, { group, rows, errorSearch, labelSearch, errorGroups, versions })
  void deletion.sweep()

  const record = (key: number): ExecutionRecord | undefined => {
    const head = rows.head(key)
    if (head === undefined) return undefined
    return { head, ...errorOf(head), waitingFor: waitingFor(head) }
  }

  const errorOf = ({ key, status }: ExecutionHead) => {
    const error = status === 'failed' ? rows.error(key) : undefined
    return error === undefined ? {} : { error }
  }

  const inputOf = ({ key }: ExecutionHead): JsonText =>
    rows.recent.get(key)?.input ?? entry(key, FIRST_POSITION)?.data ?? '{}'

  /** The entry that completes an Execution is its last. */
  const resultOf = ({ key, status, lastPosition }: ExecutionHead): JsonText => {
    if (status !== 'completed') return '{}'
    return rows.recent.get(key)?.result ?? entry(key, lastPosition)?.data ?? '{}'
  }

  /** A damaged Execution must not break the list. */
  const waitingFor = ({ key, status, lastCommand }: ExecutionHead): readonly OpenCommand[] => {
    if (isTerminal(status) || lastCommand === 0) return []
    try {
      return pending.of(key)
    } catch (error) {
      if (error instanceof DamagedExecution) return []
      throw error
    }
  }

  const find = (id: string): ExecutionHead | undefined => {
    const key = rows.keyOf(id)
    return key === undefined ? undefined : rows.head(key)
  }

  const outcomeOf = (head: ExecutionHead): OutcomeRecord => ({
    status: head.status,
    ...errorOf(head),
    result: resultOf(head),
  })

  return {
    start: (execution, ahead) => group.commit(start(execution, ahead)),
    startedWith: (projectId, idempotencyKey) => {
      const kept = startKeys.get(selectProject.get(projectId) ?? 0, idempotencyKey)
      return kept && { key: kept.target, bodyHash: kept.bodyHash }
    },
    receivedWith: (key, idempotencyKey) => receivedWith(eventKeys, key)(idempotencyKey),
    change: (key, decide, { ahead } = {}) => group.commit(change(key, decide, ahead)),
    keyOf: rows.keyOf,
    find,
    identify: find,
    head: rows.head,
    record,
    whole: (key) => {
      const found = record(key)
      return found && { ...found, input: inputOf(found.head), result: resultOf(found.head) }
    },
    outcome: (key) => {
      const head = rows.head(key)
      return head && outcomeOf(head)
    },
    findOutcome: (id) => {
      const head = find(id)
      return head && { head, outcome: outcomeOf(head) }
    },
    delete: async (key) => {
      const deleted = await group.commit(deletion.plan(key))
      if (deleted?.kind === 'deleted' && !deleted.isAll) void deletion.sweep()
      return deleted
    },
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
    retries: pending.retries,
    unfinished: createUnfinished(db),
  }
}
