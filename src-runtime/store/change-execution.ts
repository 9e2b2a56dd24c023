// Writes a Change that the engine decided for one Execution.

import type Database from 'better-sqlite3'
import type { Change } from '../engine/change.ts'
import type { ExecutionHead } from '../engine/execution-state.ts'
import { isTerminal, type ExecutionError } from '../engine/journal.ts'
import { statusCodes } from '../shared/row-codes.ts'
import type { ChangedKeys } from './changed-keys.ts'
import type { ErrorGroups } from './error-groups.ts'
import { searchedText } from './error-search.ts'
import type { ExecutionRows } from './execution-rows.ts'
import type { Plan } from './shared-transaction.ts'
import type { KeyTable } from './idempotency.ts'
import type { Inbox } from './inbox.ts'
import type { AppendEntry } from './journal.ts'
import type { PendingTable } from './pending.ts'
import { prepare } from './prepare.ts'
import type { RecentExecution } from './recent-executions.ts'
import type { StatusMove } from './status-counts.ts'
import { touchedExecution } from './touched.ts'
import type { ReceivedWith } from '../ports/executions.ts'
import type { Changed, ChangeOptions, Decide } from './store.ts'
import type { TextIndex } from './text-search.ts'
import type { VersionRef, VersionRefs } from './version-refs.ts'
import type { WaitingBlocks } from './waiting-blocks.ts'

type Tables = {
  readonly rows: ExecutionRows
  readonly pending: PendingTable
  readonly inbox: Inbox
  readonly appendEntry: AppendEntry
  readonly errorSearch: TextIndex
  readonly labelSearch: TextIndex
  readonly errorGroups: ErrorGroups
  readonly versions: VersionRefs
  readonly blocks: WaitingBlocks
  readonly changed: ChangedKeys
  readonly eventKeys: KeyTable
}

export const createChangeExecution = (
  db: Database.Database,
  tables: Tables,
): ((key: number, decide: Decide, ahead?: ChangeOptions['ahead']) => Plan<Changed | undefined>) => {
  const writeHead = createHeadWriter(db, tables)

  return (key, decide, ahead) => () => {
    const current = tables.rows.head(key)
    if (current === undefined) return { result: undefined }
    const change = decide({
      head: current,
      receivedWith: receivedWith(tables.eventKeys, key),
      hasOpenWait: (name, at) => tables.pending.hasOpenWait(key, name, at),
      open: (command) => tables.pending.open(key, command),
    })
    const firstPosition = current.lastPosition + 1
    if (change === undefined) return { result: { head: current, change, firstPosition } }

    return {
      write: () => {
        const received = appendEntries(tables, key, firstPosition, change)
        const inbox = writeInbox(tables, current, change, received)
        writePending(tables, current, change, firstPosition)
        const head = headAfter(current, change, inbox)
        const moved = writeHead(head, current, change)
        tables.rows.recent.keep(recentAfter(tables.rows.recent.get(key), head, change))
        tables.changed.note(key)
        // One without commands waits for nothing.
        if (head.lastCommand > 0) tables.blocks.touch(key)
        const changed = { head, change, firstPosition }
        return {
          result: changed,
          touched: touchedExecution(head),
          moved,
          ...(ahead !== undefined && { ahead: () => ahead(changed) }),
        }
      },
    }
  }
}

export const receivedWith =
  (keys: KeyTable, key: number) =>
  (idempotencyKey: string): ReceivedWith | undefined => {
    const kept = keys.get(key, idempotencyKey)
    return kept && { position: kept.target, bodyHash: kept.bodyHash }
  }

type Buffered = Pick<ExecutionHead, 'buffered' | 'bufferedBytes'>

const NONE_BUFFERED: Buffered = { buffered: 0, bufferedBytes: 0 }

/** Returns what the entries add to the inbox. */
const appendEntries = (tables: Tables, key: number, firstPosition: number, change: Change): Buffered => {
  let position = firstPosition
  let buffered = 0
  let bufferedBytes = 0
  for (const entry of change.entries ?? []) {
    tables.appendEntry(key, position, entry)
    if (entry.type === 'event_received') {
      bufferedBytes += tables.inbox.insert(key, position, entry)
      buffered += 1
      if (change.eventKey !== undefined) tables.eventKeys.keep(key, change.eventKey, position)
    }
    position += 1
  }
  return { buffered, bufferedBytes }
}

const endsWith = ({ status }: Change): boolean => status !== undefined && isTerminal(status)

/** Returns what is buffered afterwards. */
const writeInbox = ({ inbox }: Tables, current: ExecutionHead, change: Change, received: Buffered): Buffered => {
  const { key } = current
  let buffered = current.buffered + received.buffered
  let bufferedBytes = current.bufferedBytes + received.bufferedBytes
  if (endsWith(change) || change.consumed === 'all') {
    if (buffered > 0) inbox.removeAll(key)
    return NONE_BUFFERED
  }
  for (const position of change.consumed ?? []) {
    const bytes = inbox.remove(key, position)
    if (bytes === undefined) throw new Error(`no event of Execution ${key} is buffered at ${position}`)
    buffered -= 1
    bufferedBytes -= bytes
  }
  return { buffered, bufferedBytes }
}

const writePending = ({ pending }: Tables, current: ExecutionHead, change: Change, firstPosition: number): void => {
  const { key } = current
  if (endsWith(change) || change.closed === 'all') {
    // An Execution without commands has no open ones, so a Program without waits costs no lookup here.
    if (current.lastCommand > 0) pending.removeAll(key)
    if (endsWith(change)) return
  }
  if (change.opened !== undefined && change.opened.length > 0) {
    const positions = scheduledPositions(change, firstPosition)
    for (const open of change.opened) {
      // Ending an Execution relies on this: with `lastCommand` 0 it removes no open commands.
      if (open.command > (change.lastCommand ?? current.lastCommand)) {
        throw new Error(`command ${open.command} of Execution ${key} was opened and is not counted`)
      }
      pending.insert(key, open, positions.get(open.command))
    }
  }
  if (change.closed !== 'all') for (const command of change.closed ?? []) pending.remove(key, command)
  for (const open of change.rescheduled ?? []) pending.reschedule(key, open)
}

/** Where the entries of new effects and waits stand, by command. */
const scheduledPositions = ({ entries = [] }: Change, firstPosition: number): ReadonlyMap<number, number> => {
  const positions = new Map<number, number>()
  for (const [index, { type, command }] of entries.entries()) {
    const isScheduled = type === 'effect_scheduled' || type === 'wait_scheduled'
    if (isScheduled && command !== undefined) positions.set(command, firstPosition + index)
  }
  return positions
}

type Draft = { -readonly [Member in keyof ExecutionHead]: ExecutionHead[Member] }

const headAfter = (current: ExecutionHead, change: Change, inbox: Buffered): ExecutionHead => {
  const head: Draft = { ...current, ...inbox }
  head.lastPosition = current.lastPosition + (change.entries?.length ?? 0)
  head.turns = change.turns ?? current.turns
  head.lastCommand = change.lastCommand ?? current.lastCommand
  if (change.status !== undefined) head.status = change.status
  if (change.startedAt !== undefined) head.startedAt = change.startedAt
  if (change.finishedAt !== undefined) head.finishedAt = change.finishedAt
  if (change.cancelRequestedAt !== undefined) head.cancelRequestedAt = change.cancelRequestedAt
  if (change.cancelDelivered !== undefined) head.cancelDelivered = true
  if (change.label !== undefined) head.label = change.label
  return head
}

const recentAfter = (before: RecentExecution | undefined, head: ExecutionHead, change: Change): RecentExecution => {
  const last = change.entries?.at(-1)
  return {
    head,
    ...(before?.input !== undefined && { input: before.input }),
    ...(last?.type === 'execution_completed' && last.data !== undefined && { result: last.data }),
  }
}

const COUNTERS = `started_at = ?, cancel_requested_at = ?, cancel_delivered = ?, last_position = ?, turns = ?,
  last_command = ?, buffered = ?, buffered_bytes = ?`

const createHeadWriter = (db: Database.Database, tables: Tables) => {
  // SQLite rewrites the index of every column that the statement names, changed or not; hence three statements.
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

  const writeLabel = (head: ExecutionHead, label: string): void => {
    updateLabel.run(label, head.key)
    tables.labelSearch.insert(head.key, label, versionOf(head))
  }

  const writeError = (head: ExecutionHead, error: ExecutionError): void => {
    updateError.run(JSON.stringify(error), searchedText(error.message), head.key)
    const version = versionOf(head)
    const { projectKey, programKey } = version
    tables.errorSearch.insert(head.key, error.message, version)
    tables.errorGroups.add({ key: head.key, projectKey, programKey, at: head.finishedAt ?? head.createdAt, error })
  }

  return (head: ExecutionHead, before: ExecutionHead, change: Change): StatusMove | undefined => {
    const counters = [
      head.startedAt ?? null,
      head.cancelRequestedAt ?? null,
      head.cancelDelivered ? 1 : 0,
      head.lastPosition,
      head.turns,
      head.lastCommand,
      head.buffered,
      head.bufferedBytes,
    ]
    if (head.finishedAt !== before.finishedAt) {
      updateEnded.run(...counters, statusCodes.toCode(head.status), head.finishedAt, head.key)
    } else if (head.status === before.status) update.run(...counters, head.key)
    else updateWithStatus.run(...counters, statusCodes.toCode(head.status), head.key)
    if (change.label !== undefined) writeLabel(head, change.label)
    if (change.error !== undefined) writeError(head, change.error)
    if (head.status === before.status) return undefined
    return { version: versionOf(head).key, from: before.status, to: head.status }
  }
}
