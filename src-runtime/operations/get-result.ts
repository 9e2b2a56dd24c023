import type { ResultView } from '../contract/models.ts'
import type { WireJson } from '../contract/wire-json.ts'
import { isTerminal } from '../engine/journal.ts'
import { findExecution } from './find-execution.ts'
import type { OperationPorts } from './operation-ports.ts'
import { recordOf } from './record-of.ts'
import { showResult } from './show-execution.ts'

export type ResultRequest = {
  readonly id: string
  readonly projectId: string | undefined
  /** How long to hold the answer while the Execution goes on; undefined: not at all. */
  readonly holdMs: number | undefined
  /** Calls back when nobody wants the answer any more, until the function it returns is called. */
  readonly onGone: (listener: () => void) => () => void
}

/** The result view; held until the Execution ends, the time is up, the caller is gone or the runtime stops. */
export const getResult = async (
  ports: Pick<OperationPorts, 'store' | 'changes'>,
  request: ResultRequest,
): Promise<WireJson<ResultView>> => {
  const head = findExecution(ports, request)
  if (request.holdMs !== undefined && request.holdMs > 0 && !isTerminal(head.status)) {
    await held(ports.changes, head.key, request.holdMs, request.onGone)
  }
  return showResult(ports.store, recordOf(ports.store, head))
}

const held = (
  changes: OperationPorts['changes'],
  key: number,
  holdMs: number,
  onGone: ResultRequest['onGone'],
): Promise<void> =>
  new Promise((resolve) => {
    const release = () => {
      clearTimeout(timer)
      forget()
      stay()
      resolve()
    }
    const timer = setTimeout(release, holdMs)
    const stay = onGone(release)
    const forget = changes.whenTerminal(key, release)
  })
