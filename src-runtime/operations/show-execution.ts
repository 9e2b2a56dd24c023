// Executions as the API shows them.

import type { Execution, ExecutionSummary, HistoryEntry, ResultView, WaitingFor } from '../contract/models.ts'
import { toWire, withMember, withMembersOf, type WireJson } from '../contract/wire-json.ts'
import type { ExecutionHead, OpenCommand } from '../engine/execution-state.ts'
import type { ExecutionError, JournalEntry, JsonText } from '../engine/journal.ts'
import { inputPreview } from '../engine/input-preview.ts'
import type { OutcomeRecord, WholeExecution } from '../ports/executions.ts'
import type { ListedExecution } from '../ports/overview.ts'

export const iso = (at: number): string => new Date(at).toISOString()

const maybeIso = (at: number | undefined): string | undefined => (at === undefined ? undefined : iso(at))

const showWaiting = (open: OpenCommand): WaitingFor => {
  switch (open.kind) {
    case 'event':
      return {
        kind: 'event',
        name: open.name,
        since: iso(open.since),
        ...(open.dueAt !== undefined && { timeoutAt: iso(open.dueAt) }),
      }
    case 'timer':
      return { kind: 'timer', wakeAt: iso(open.dueAt) }
    case 'effect':
      return {
        kind: 'effect',
        name: open.name,
        attempt: open.attempt,
        ...(open.dueAt !== undefined && { nextAttemptAt: iso(open.dueAt) }),
      }
  }
}

// JSON.stringify leaves out undefined members, as the contract requires.
type Loose<Shape> = { [Member in keyof Shape]: Shape[Member] | undefined }

const summaryOf = (
  head: ExecutionHead,
  waitingFor: readonly OpenCommand[],
  error: ExecutionError | undefined,
  inputPreview: string | undefined,
): WireJson<ExecutionSummary> => {
  const summary: Loose<Required<ExecutionSummary>> = {
    id: head.id,
    projectId: head.projectId,
    programId: head.programId,
    versionId: head.versionId,
    versionNumber: head.versionNumber,
    status: head.status,
    error,
    createdAt: iso(head.createdAt),
    startedAt: maybeIso(head.startedAt),
    finishedAt: maybeIso(head.finishedAt),
    waitingFor: waitingFor.map(showWaiting),
    label: head.label,
    inputPreview,
    againOf: head.againOf,
    trigger: head.trigger,
  }
  return toWire(summary) as string as WireJson<ExecutionSummary>
}

export const showSummary = ({ head, waitingFor, error, inputPreview }: ListedExecution): WireJson<ExecutionSummary> =>
  summaryOf(head, waitingFor, error, inputPreview)

/** An Execution that was accepted a moment ago. `data` is its `{ input? }`. */
export const showStarted = (head: ExecutionHead, data: JsonText): WireJson<Execution> =>
  withMembersOf<ExecutionSummary, Pick<Execution, 'input'>>(summaryOf(head, [], undefined, inputPreview(data)), data)

export const showExecution = (whole: WholeExecution): WireJson<Execution> => {
  const { head, input, result } = whole
  const summary = summaryOf(head, whole.waitingFor, whole.error, inputPreview(input))
  let execution: WireJson<Execution> = withMembersOf(summary, input)
  execution = withMembersOf(execution, result)
  if (head.cancelRequestedAt === undefined) return execution
  return withMember(execution, 'cancelRequestedAt', JSON.stringify(iso(head.cancelRequestedAt)))
}

/** An Execution that was shown before its end, with what it has led to. */
export const showEnded = (
  before: WireJson<Execution>,
  { status, error, result, startedAt, finishedAt }: OutcomeRecord,
): WireJson<Execution> => {
  const shown: Loose<Execution> = {
    ...(JSON.parse(before) as Execution),
    status,
    waitingFor: [],
    error,
    startedAt: maybeIso(startedAt),
    finishedAt: maybeIso(finishedAt),
  }
  return withMembersOf(toWire(shown as Execution), result)
}

export const showResult = ({ status, error, result }: OutcomeRecord): WireJson<ResultView> =>
  withMembersOf(toWire({ status, ...(error !== undefined && { error }) }), result)

export const showEntry = (entry: JournalEntry): WireJson<HistoryEntry> => {
  const shown = toWire({
    position: entry.position,
    at: iso(entry.at),
    type: entry.type,
    command: entry.command,
    name: entry.name,
    attempt: entry.attempt,
  }) as string as WireJson<HistoryEntry>
  return entry.data === undefined ? shown : withMember(shown, 'data', entry.data)
}
