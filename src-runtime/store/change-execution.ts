// Writing what the engine decided about one Execution.

import type Database from 'better-sqlite3'
import type { Change } from '../engine/change.ts'
import type { ExecutionHead } from '../engine/execution-state.ts'
import { isTerminal, type ExecutionError } from '../engine/journal.ts'
import { statusCodes } from './codes.ts'
import { searchedText } from './error-search.ts'
import type { ErrorGroups } from './error-groups.ts'
import type { ErrorSearch } from './error-search.ts'
import type { ExecutionRows } from './execution-rows.ts'
import type { Plan } from './shared-transaction.ts'
import type { Inbox } from './inbox.ts'
import type { AppendEntry } from './journal.ts'
import type { PendingTable } from './pending.ts'
import { prepare } from './prepare.ts'
import type { StatusCounts } from './status-counts.ts'
import type { Changed, Decide } from './store.ts'
import type { VersionRef, VersionRefs } from './version-refs.ts'

type Tables = {
  readonly rows: ExecutionRows
  readonly pending: PendingTable
  readonly inbox: Inbox
  readonly appendEntry: AppendEntry
  readonly errorSearch: ErrorSearch
  readonly errorGroups: ErrorGroups
  readonly versions: VersionRefs
  readonly statusCounts: StatusCounts
}

export const createChangeExecution = (
  db: Database.Database,
  tables: Tables,
): ((key: number, decide: Decide, ahead?: (changed: Changed) => void) => Plan<Changed | undefined>) => {
  const writeHead = createHeadWriter(db, tables)

  return (key, decide, ahead) => () => {
    const current = tables.rows.head(key)
    if (current === undefined) return { result: undefined }
    const change = decide({
      head: current,
      hasOpenWait: (name, at) => tables.pending.hasOpenWait(key, name, at),
    })
    const firstPosition = current.lastPosition + 1
    if (change === undefined) return { result: { head: current, change, firstPosition } }

    return {
      write: () => {
        appendEntries(tables, key, firstPosition, change)
        const buffered = writeLists(tables, current, change, firstPosition)
        const head = headAfter(current, change, buffered)
        writeHead(head, current, change)
        const changed = { head, change, firstPosition }
        return {
          result: changed,
          touched: {
            key,
            executionId: head.id,
            programId: head.programId,
            projectId: head.projectId,
            status: head.status,
          },
          ...(ahead !== undefined && { ahead: () => ahead(changed) }),
        }
      },
    }
  }
}

const appendEntries = (tables: Tables, key: number, firstPosition: number, change: Change): void => {
  let position = firstPosition
  for (const entry of change.entries ?? []) {
    tables.appendEntry(key, position, entry)
    if (entry.type === 'event_received') tables.inbox.insert(key, position, entry)
    position += 1
  }
}

/** Open commands and the inbox. Answers how many events are buffered afterwards. */
const writeLists = (tables: Tables, current: ExecutionHead, change: Change, firstPosition: number): number => {
  const { pending, inbox } = tables
  const { key } = current
  const ends = change.status !== undefined && isTerminal(change.status)
  const received = change.entries?.reduce((count, entry) => count + (entry.type === 'event_received' ? 1 : 0), 0) ?? 0
  let buffered = current.buffered + received

  if (ends || change.consumed === 'all') {
    if (buffered > 0) inbox.removeAll(key)
    buffered = 0
  } else {
    for (const position of change.consumed ?? []) {
      if (inbox.remove(key, position) === 0) throw new Error(`no event of Execution ${key} is buffered at ${position}`)
      buffered -= 1
    }
  }

  if (ends || change.closed === 'all') {
    // Without a command there never was an open one; so a Program without waits costs no lookup here.
    if (current.lastCommand > 0) pending.removeAll(key)
    if (ends) return buffered
  }
  for (const open of change.opened ?? []) {
    // What ends an Execution relies on it: without a command it looks for nothing to remove.
    if (open.command > (change.lastCommand ?? current.lastCommand)) {
      throw new Error(`command ${open.command} of Execution ${key} was opened and is not counted`)
    }
    pending.insert(key, open, open.kind === 'effect' ? scheduledAt(change, firstPosition, open.command) : undefined)
  }
  if (change.closed !== 'all') for (const command of change.closed ?? []) pending.remove(key, command)
  for (const { command, attempt, dueAt } of change.rescheduled ?? []) pending.reschedule(key, command, attempt, dueAt)
  return buffered
}

const scheduledAt = (change: Change, firstPosition: number, command: number): number | undefined => {
  const index = change.entries?.findIndex((entry) => entry.type === 'effect_scheduled' && entry.command === command)
  return index === undefined || index < 0 ? undefined : firstPosition + index
}

const headAfter = (current: ExecutionHead, change: Change, buffered: number): ExecutionHead => ({
  ...current,
  ...(change.status === undefined ? {} : { status: change.status }),
  ...(change.startedAt === undefined ? {} : { startedAt: change.startedAt }),
  ...(change.finishedAt === undefined ? {} : { finishedAt: change.finishedAt }),
  ...(change.cancelRequestedAt === undefined ? {} : { cancelRequestedAt: change.cancelRequestedAt }),
  ...(change.cancelDelivered === undefined ? {} : { cancelDelivered: true }),
  ...(change.label === undefined ? {} : { label: change.label }),
  lastPosition: current.lastPosition + (change.entries?.length ?? 0),
  turns: change.turns ?? current.turns,
  lastCommand: change.lastCommand ?? current.lastCommand,
  buffered,
})

const COUNTERS = `started_at = ?, cancel_requested_at = ?, cancel_delivered = ?, last_position = ?, turns = ?,
  last_command = ?, buffered = ?`

const createHeadWriter = (db: Database.Database, tables: Tables) => {
  // SQLite writes an index anew for each column that is named, changed or not: hence three statements.
  const update = prepare(db, `UPDATE executions SET ${COUNTERS} WHERE key = ?`)
  const updateWithStatus = prepare(db, `UPDATE executions SET ${COUNTERS}, status = ? WHERE key = ?`)
  const updateEnded = prepare(db, `UPDATE executions SET ${COUNTERS}, status = ?, finished_at = ? WHERE key = ?`)
  const updateLabel = prepare(db, 'UPDATE executions SET label = ? WHERE key = ?')
  const updateError = prepare(db, 'UPDATE executions SET error = ?, error_message = ? WHERE key = ?')

  const versionOf = ({ versionId }: ExecutionHead): VersionRef => {
    const version = tables.versions.byId(versionId)
    if (version === undefined) throw new Error(`there is no version ${versionId}`)
    return version
  }

  const writeError = (head: ExecutionHead, error: ExecutionError): void => {
    updateError.run(JSON.stringify(error), searchedText(error.message), head.key)
    tables.errorSearch.insert(head, error.message)
    const { projectKey, programKey } = versionOf(head)
    tables.errorGroups.add({ key: head.key, projectKey, programKey, at: head.finishedAt ?? head.createdAt, error })
  }

  return (head: ExecutionHead, before: ExecutionHead, change: Change): void => {
    const counters = [
      head.startedAt ?? null,
      head.cancelRequestedAt ?? null,
      head.cancelDelivered ? 1 : 0,
      head.lastPosition,
      head.turns,
      head.lastCommand,
      head.buffered,
    ]
    if (head.finishedAt !== before.finishedAt) {
      updateEnded.run(...counters, statusCodes.toCode(head.status), head.finishedAt, head.key)
    } else if (head.status === before.status) update.run(...counters, head.key)
    else updateWithStatus.run(...counters, statusCodes.toCode(head.status), head.key)
    if (head.status !== before.status) {
      tables.statusCounts.moved(versionOf(head).key, head.key, before.status, head.status)
    }
    if (change.label !== undefined) updateLabel.run(change.label, head.key)
    if (change.error !== undefined) writeError(head, change.error)
  }
}
