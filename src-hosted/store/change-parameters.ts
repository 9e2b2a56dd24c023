// A Change of the engine as the parameters of the functions that write it; see migrations/006-accept.ts and 007-engine.ts.

import type { Change } from '../../src-runtime/engine/change.ts'
import type { OpenCommand } from '../../src-runtime/engine/execution-state.ts'
import { isTerminal, type EntryType, type NewEntry } from '../../src-runtime/engine/journal.ts'
import { entryTypeCodes, openKindCodes, statusCodes } from '../../src-runtime/shared/row-codes.ts'
import { fingerprintOf } from '../../src-runtime/shared/error-fingerprint.ts'
import { gramsOf, searchedText } from './error-grams.ts'
import type { CommittedTurns, Seen } from './store.ts'
import { toStored } from './stored-text.ts'

export const changeParameters = (change: Change, begun?: CommittedTurns['begun']) => {
  if (change.rescheduled !== undefined) throw new Error('commands are rescheduled by writes of their own')
  const { entries = [], opened = [], closed, consumed, error } = change
  const searched = error === undefined ? null : searchedText(error.message)
  return {
    status: change.status === undefined ? null : statusCodes.toCode(change.status),
    turns: change.turns ?? null,
    lastCommand: change.lastCommand ?? null,
    startedAt: change.startedAt ?? null,
    finishedAt: change.finishedAt ?? null,
    isCancelDelivered: change.cancelDelivered === true,
    label: change.label === undefined ? null : toStored(change.label),
    error: error === undefined ? null : JSON.stringify(error),
    fingerprint: error === undefined ? null : fingerprintOf(error),
    searched,
    grams: searched === null ? null : gramsOf(searched),
    entries: entries.length === 0 ? null : JSON.stringify(entries.map(entryRow)),
    entryCount: entries.length,
    timedOut: listOf(entries.flatMap(({ type, command }) => (type === 'wait_timed_out' ? [command ?? 0] : []))),
    opened: opened.length === 0 ? null : openedRows(opened, entries, begun),
    closed: closed === 'all' ? null : listOf(closed ?? []),
    isAllClosed: closed === 'all',
    consumed: consumed === 'all' ? null : listOf(consumed ?? []),
    isAllConsumed: consumed === 'all',
    // As usage counts them: outcomes that stand in the journal.
    attempts: entries.filter(({ type }) => OUTCOMES.has(type)).length,
    bytes: entries.reduce((sum, { data }) => sum + (data === undefined ? 0 : Buffer.byteLength(data)), 0),
  }
}

/** Characters of the rows that it adds. */
export const lengthOf = ({ entries, opened }: ReturnType<typeof changeParameters>): number =>
  (entries?.length ?? 0) + (opened?.length ?? 0)

/** PostgreSQL removes an open command in the time in which it adds so many characters. */
const LENGTH_OF_REMOVED = 4

/** The same for the rows that it may remove: those of commands and events that it names have entries, which count already. */
export const lengthOfRemoved = (
  { status, isAllClosed, isAllConsumed }: ReturnType<typeof changeParameters>,
  { lastCommand, buffered }: Seen,
): number => {
  const isEnd = status !== null && isTerminal(statusCodes.toWord(status))
  const rows = (isEnd || isAllClosed ? lastCommand : 0) + (isEnd || isAllConsumed ? buffered : 0)
  return rows * LENGTH_OF_REMOVED
}

const OUTCOMES: ReadonlySet<EntryType> = new Set(['effect_completed', 'effect_failed', 'effect_attempt_failed'])

const listOf = (numbers: readonly number[]): readonly number[] | null => (numbers.length === 0 ? null : numbers)

const entryRow = ({ at, type, command, name, attempt, source, data }: NewEntry) => ({
  at,
  type: entryTypeCodes.toCode(type),
  command,
  name: name === undefined ? undefined : toStored(name),
  attempt,
  source,
  data,
})

/** With the number of the entry, from 1, that opened each effect and wait: its position is kept. */
const openedRows = (
  opened: readonly OpenCommand[],
  entries: readonly NewEntry[],
  begun: CommittedTurns['begun'],
): string => {
  const numbers = new Map<number, number>()
  for (const [index, { type, command }] of entries.entries()) {
    const isScheduled = type === 'effect_scheduled' || type === 'wait_scheduled'
    if (isScheduled && command !== undefined) numbers.set(command, index + 1)
  }
  return JSON.stringify(
    opened.map((open) => ({
      command: open.command,
      kind: openKindCodes.toCode(open.kind),
      name: open.kind === 'timer' ? undefined : toStored(open.name),
      since: open.since,
      due_at: open.dueAt,
      attempt: open.kind === 'effect' ? open.attempt : undefined,
      entry: numbers.get(open.command),
      performer: begun?.commands.has(open.command) === true ? begun.performer : undefined,
      options: open.kind === 'effect' ? JSON.stringify(open.options) : undefined,
    })),
  )
}
