import type { ResultView } from '../contract/models.ts'
import type { WireJson } from '../contract/wire-json.ts'
import { isTerminal } from '../engine/journal.ts'
import { findExecution, readAgain, type WhichExecution } from './find-execution.ts'
import type { OperationPorts } from './operation-ports.ts'
import { showResult } from './show-execution.ts'

export type Hold = {
  /** For how long at most. */
  readonly ms: number
  /** Calls back when nobody wants the answer any more, until the function it returns is called. */
  readonly onGone: (listener: () => void) => () => void
}

/** The result view; with a hold, not before the Execution ended, the time is up, the caller is gone or all stops. */
export const getResult = async (
  ports: Pick<OperationPorts, 'store' | 'changes'>,
  which: WhichExecution,
  hold: Hold | undefined,
): Promise<WireJson<ResultView>> => {
  const { store, changes } = ports
  const record = findExecution(ports, which)
  const { key, status } = record.head
  if (hold === undefined || hold.ms === 0 || isTerminal(status)) return showResult(store, record)
  await held(changes, key, hold)
  return showResult(store, readAgain(store, key))
}

const held = (changes: OperationPorts['changes'], key: number, { ms, onGone }: Hold): Promise<void> =>
  new Promise((resolve) => {
    const release = () => {
      clearTimeout(timer)
      forget()
      stay()
      resolve()
    }
    let forget = () => {}
    let stay = () => {}
    const timer = setTimeout(release, ms)
    stay = onGone(release)
    forget = changes.whenTerminal(key, release)
  })
