import type { ResultView } from '../contract/models.ts'
import type { WireJson } from '../contract/wire-json.ts'
import { isTerminal } from '../engine/journal.ts'
import { findExecution, readAgain, type WhichExecution } from './find-execution.ts'
import type { OperationPorts } from './operation-ports.ts'
import { showResult } from './show-execution.ts'

export type Hold = {
  /** The longest hold. */
  readonly ms: number
  /**
   * Calls back when nobody wants the answer any more, until the function it returns is called; `undefined` when the
   * caller's connection holds too many answers already.
   */
  readonly begin: (onGone: () => void) => (() => void) | undefined
}

export type Held<Answer> = { readonly answer: Answer; readonly wasHeld: boolean }

/** The result view; with a hold, not before the Execution ended, the time is up, the caller is gone or all stops. */
export const getResult = async (
  ports: Pick<OperationPorts, 'store' | 'changes'>,
  which: WhichExecution,
  hold: Hold | undefined,
): Promise<Held<WireJson<ResultView>>> => {
  const { store } = ports
  const record = findExecution(ports, which)
  if (hold === undefined) return { answer: showResult(store, record), wasHeld: false }
  const wasHeld = await untilTerminal(ports, record.head.key, hold)
  return { answer: showResult(store, readAgain(store, record.head.key)), wasHeld }
}

/**
 * Waits until the Execution ends, the time is up, the caller is gone or the runtime stops. Returns whether it could
 * hold.
 */
export const untilTerminal = async (
  { store, changes }: Pick<OperationPorts, 'store' | 'changes'>,
  key: number,
  hold: Hold,
): Promise<boolean> => {
  const status = store.executions.head(key)?.status
  if (hold.ms === 0 || status === undefined || isTerminal(status)) return true
  return held(changes, key, hold)
}

const held = (changes: OperationPorts['changes'], key: number, { ms, begin }: Hold): Promise<boolean> =>
  new Promise((resolve) => {
    const callOff: (() => void)[] = []
    const release = () => {
      for (const one of callOff.splice(0)) one()
      resolve(true)
    }
    const end = begin(release)
    if (end === undefined) return resolve(false)
    const timer = setTimeout(release, ms)
    callOff.push(end, () => clearTimeout(timer), changes.whenTerminal(key, release))
  })
