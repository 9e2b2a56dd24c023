// An Execution that has work now. Parked Executions keep nothing in memory.

import type { ExecutionHead } from '../engine/execution-state.ts'
import { isTerminal, type JsonText } from '../engine/journal.ts'
import { resumeLive, type LiveExecution } from '../engine/live-execution.ts'
import type { Delivery } from '../engine/turn.ts'
import type { JournalStore, Store } from '../store/store.ts'
import { readStart, recordedParts } from './read-journal.ts'
import type { Replay, TurnsToRun } from './run-turns.ts'

export type ActiveExecution = {
  readonly key: number
  readonly id: string
  readonly programId: string
  readonly versionId: string
  readonly versionNumber: number
  readonly live: LiveExecution
  /** When the running turn was given to the Program hosts, in ms since the epoch; `undefined`: no turn is running. */
  inFlightSince: number | undefined
  /** Whether the row already says `running`, or an ended status, for the turn in flight. */
  shownAsRunning: boolean
  /** The newest command whose entry is durable. Effects after it may not be performed yet. */
  durableCommand: number
  /** Since the last check, an effect was opened or may be retried. */
  effectsMayBegin: boolean
  /** More attempts begin in the next turn of the event loop. */
  goesOnBeginning: boolean
  /** Settles when everything written so far is durable or was refused. */
  durable: Promise<unknown>
  pendingCommits: number
  /** The store has refused a turn: those that ran ahead from it are refused too, whatever number the row has by then. */
  refused: boolean
  /** The data of effects whose first attempt has not begun, by command, as far as it is small. */
  readonly effectData: Map<number, JsonText>
  /** Attempts that have no outcome yet, by command. */
  readonly attempts: Map<number, ActiveAttempt>
  /** The Execution ended, or was dropped from memory: ignore whatever still comes back for it. */
  gone: boolean
  /** Dropped from memory, to begin again from the journal. */
  takenUpAgain: boolean
  /** Its Program has ended, so that no Program host holds anything of it. */
  endedInHost: boolean
}

export type ActiveAttempt = {
  readonly controller: AbortController
  /** A process runs it. Otherwise it waits: for its folder to be trusted, for a place, or for others to end. */
  hasBegun: boolean
}

export const activeExecution = (head: ExecutionHead, live: LiveExecution): ActiveExecution => ({
  key: head.key,
  id: head.id,
  programId: head.programId,
  versionId: head.versionId,
  versionNumber: head.versionNumber,
  live,
  inFlightSince: undefined,
  shownAsRunning: false,
  durableCommand: head.lastCommand,
  effectsMayBegin: true,
  goesOnBeginning: false,
  durable: Promise.resolve(),
  pendingCommits: 0,
  refused: false,
  effectData: new Map(),
  attempts: new Map(),
  gone: false,
  takenUpAgain: false,
  endedInHost: false,
})

/** Reads it from the store. `undefined`: it has ended, or was deleted. */
export const loadActive = (
  { executions, journal }: Pick<Store, 'executions' | 'journal'>,
  key: number,
): ActiveExecution | undefined => {
  const loaded = executions.load(key)
  if (loaded === undefined || isTerminal(loaded.head.status)) return undefined
  const startData = loaded.head.turns === 0 ? readStart(journal, key) : '{}'
  return activeExecution(loaded.head, resumeLive(loaded, startData))
}

export const abortAttempts = (active: ActiveExecution): void => {
  for (const { controller } of active.attempts.values()) controller.abort()
  active.attempts.clear()
}

/** They begin in the next runtime, as the same attempts. */
export const abortWaitingAttempts = (active: ActiveExecution): void => {
  for (const [command, { controller, hasBegun }] of active.attempts) {
    if (hasBegun) continue
    controller.abort()
    active.attempts.delete(command)
  }
}

export const turnsToRun = (active: ActiveExecution, deliveries: readonly Delivery[]): TurnsToRun => {
  const { id: executionId, programId, versionId, versionNumber, live } = active
  return { execution: { executionId, programId, versionId, versionNumber }, turnsDone: live.turns, deliveries }
}

export const replayOf = (active: ActiveExecution, journal: JournalStore): Replay => ({
  ready: () => active.durable, // a replay includes turns that ran ahead of their commit
  parts: () => recordedParts(journal, active.key, active.live),
  isGone: () => active.gone,
})
