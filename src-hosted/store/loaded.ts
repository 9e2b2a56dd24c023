// What a visit, or the performer of an effect, reads in one call.

import { DamagedExecution, missingEntry } from '../../src-runtime/engine/damaged-execution.ts'
import type { BufferedEvent, OpenCommand } from '../../src-runtime/engine/execution-state.ts'
import type { OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import type { JsonText } from '../../src-runtime/engine/journal.ts'
import type { EffectDelivery } from '../../src-runtime/engine/live-execution.ts'
import type { Moment } from '../../src-runtime/engine/plan-deliveries.ts'
import { toHead, toOpenCommand, type HeadRow, type PendingRow } from './rows.ts'
import type { AttemptTaken, Loaded, TakenAttempt } from './store.ts'
import { fromStored } from './stored-text.ts'

type LoadedHeadRow = HeadRow & {
  readonly stirred: number
  readonly wake_at: number | null
  readonly last_invocation: string | null
}

type EventRow = {
  readonly position: number
  readonly id: string
  readonly name: string
  readonly received_at: number
  readonly bytes: number
  readonly data: JsonText | null
}

type OutcomeRow = {
  readonly command: number
  readonly attempt: number
  readonly ok: boolean
  readonly at: number
  /** null: it was not read. */
  readonly data: JsonText | null
}

export type LoadedRow = {
  readonly head: LoadedHeadRow
  readonly workspace_id: string
  readonly start_data: JsonText | null
  readonly open: readonly PendingRow[] | null
  readonly buffered: readonly EventRow[] | null
  readonly outcomes: readonly OutcomeRow[] | null
  readonly at: number
}

export const toLoaded = (row: LoadedRow): Loaded => {
  const { head, buffered } = row
  const { open, damage = missingStart(row) } = readOpen(row.open ?? [])
  const effects = new Map(open.flatMap((command) => (command.kind === 'effect' ? [[command.command, command]] : [])))
  return {
    head: toHead(head),
    workspaceId: row.workspace_id,
    open,
    buffered: (buffered ?? []).map(toEvent),
    payloads: new Map((buffered ?? []).flatMap(({ position, data }) => (data === null ? [] : [[position, data]]))),
    ...toOutcomes(row.outcomes ?? [], effects),
    startData: row.start_data ?? '{}',
    stirred: head.stirred,
    ...(head.wake_at !== null && { wakeAt: head.wake_at }),
    ...(head.last_invocation !== null && { lastInvocation: head.last_invocation }),
    now: row.at,
    ...(damage !== undefined && { damage }),
  }
}

const missingStart = ({ head, start_data }: LoadedRow): DamagedExecution | undefined =>
  head.turns === 0 && start_data === null ? missingEntry(1, 'execution_started') : undefined

const readOpen = (rows: readonly PendingRow[]): { open: readonly OpenCommand[]; damage?: DamagedExecution } => {
  try {
    return { open: rows.map(toOpenCommand) }
  } catch (error) {
    if (error instanceof DamagedExecution) return { open: [], damage: error }
    throw error
  }
}

const toEvent = ({ position, id, name, received_at, bytes }: EventRow): BufferedEvent => ({
  ...{ position, id, bytes },
  name: fromStored(name),
  receivedAt: received_at,
})

const toOutcomes = (
  rows: readonly OutcomeRow[],
  effects: ReadonlyMap<number, OpenEffect>,
): Pick<Loaded, 'outcomes' | 'unread'> => {
  const outcomes: EffectDelivery[] = []
  const unread: Moment[] = []
  for (const { command, attempt, ok, at, data } of rows) {
    const effect = effects.get(command)
    if (effect === undefined) continue
    if (data === null) unread.push({ since: at, command })
    else outcomes.push({ kind: ok ? 'effect_result' : 'effect_failure', at, command, name: effect.name, attempt, data })
  }
  return { outcomes, unread }
}

type Taken = {
  readonly outcome: 'taken'
  readonly head: Pick<HeadRow, 'key' | 'id' | 'project_id' | 'program_id' | 'version_id' | 'version_number'>
  readonly workspace_id: string
  readonly effect: PendingRow
  readonly data: JsonText | null
  readonly at: number
}

export type TakenRow =
  | Taken
  | { readonly outcome: 'later'; readonly later_attempt: number; readonly later_due: number | null }
  | { readonly outcome: 'performed' | 'asked' | 'answered' | 'gone' }

export const toAttemptTaken = (row: TakenRow): AttemptTaken => {
  switch (row.outcome) {
    case 'taken':
      return { kind: 'taken', ...toTakenAttempt(row) }
    case 'later':
      return { kind: 'later', attempt: row.later_attempt, dueAt: row.later_due ?? undefined }
    case 'performed':
      return { kind: 'elsewhere', isCertain: true }
    case 'asked':
      return { kind: 'elsewhere', isCertain: false }
    case 'answered':
    case 'gone':
      return { kind: row.outcome }
  }
}

const toTakenAttempt = ({ head, workspace_id, effect: open, data, at }: Taken): TakenAttempt => {
  const effect = toOpenCommand(open)
  if (effect.kind !== 'effect') throw new Error(`command ${effect.command} is no effect`)
  return {
    workspaceId: workspace_id,
    head: {
      key: head.key,
      id: head.id,
      projectId: head.project_id,
      programId: head.program_id,
      versionId: head.version_id,
      versionNumber: head.version_number,
    },
    effect,
    data: data ?? '{}',
    now: at,
  }
}
