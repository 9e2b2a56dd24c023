import type { ApiError } from '../contract/errors.ts'
import type { ResultView } from '../contract/models.ts'
import type { WireJson } from '../contract/wire-json.ts'
import type { ExecutionHead } from '../engine/execution-state.ts'
import { isTerminal } from '../engine/journal.ts'
import type { ProjectPorts } from './choose-project.ts'
import { findOutcome, stillThere, type WhichExecution } from './find-execution.ts'
import type { OutcomeRecord } from '../ports/executions.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { showResult } from './show-execution.ts'

export type Hold = {
  /** How much longer the answer may be held. */
  readonly msLeft: () => number
  /**
   * Calls back when nobody wants the answer any more, until the function it returns is called, which answers once the
   * answer may be read, or why it may not; `undefined` when too many answers are held already.
   */
  readonly begin: (onGone: () => void) => (() => Promise<ApiError | undefined>) | undefined
}

export type Held<Answer> = { readonly answer: Answer; readonly wasHeld: boolean }

type ResultPorts = ProjectPorts & Pick<OperationPorts, 'changes'>

/** The result view; with a hold, not before the Execution ended, the time is up, the caller is gone or all stops. */
export const getResult = async (
  ports: ResultPorts,
  which: WhichExecution,
  hold: Hold | undefined,
): Promise<Held<WireJson<ResultView>>> => {
  const { head, outcome } = await findOutcome(ports, which)
  if (hold === undefined || isTerminal(outcome.status))
    return { answer: showResult(outcome), wasHeld: hold !== undefined }
  const { wasHeld, refusal, outcome: known } = await untilTerminal(ports, head, hold)
  if (refusal !== undefined) throw refusal
  return { answer: showResult(known ?? stillThere(await ports.store.executions.outcome(head.key))), wasHeld }
}

/**
 * Waits until the Execution ends, the time is up, the caller is gone or the runtime stops. Returns whether it could
 * hold, why the answer may not be read now, and what the Execution has led to if that came with its end.
 */
export const untilTerminal = async (
  { store, changes }: Pick<OperationPorts, 'store' | 'changes'>,
  { key }: Pick<ExecutionHead, 'key'>,
  hold: Hold,
): Promise<{ readonly wasHeld: boolean; readonly refusal?: ApiError; readonly outcome?: OutcomeRecord }> => {
  if (hold.msLeft() <= 0) return { wasHeld: true }
  const holding = beginHold(changes, key, hold)
  if (holding === undefined) return { wasHeld: false }
  let outcome: OutcomeRecord | undefined
  let refusal: ApiError | undefined
  try {
    // It may have ended before anybody listened.
    const head = await store.executions.head(key)
    outcome = head === undefined || isTerminal(head.status) ? undefined : await holding.over
  } finally {
    refusal = await holding.release()
  }
  return { wasHeld: true, ...(refusal !== undefined && { refusal }), ...(outcome !== undefined && { outcome }) }
}

const beginHold = (changes: OperationPorts['changes'], key: number, { msLeft, begin }: Hold) => {
  const { promise: over, resolve } = Promise.withResolvers<OutcomeRecord | undefined>()
  const end = begin(() => resolve(undefined))
  if (end === undefined) return undefined
  const timer = setTimeout(() => resolve(undefined), msLeft())
  const unlisten = changes.whenTerminal(key, resolve)
  return {
    over,
    release: () => {
      clearTimeout(timer)
      unlisten()
      return end()
    },
  }
}
