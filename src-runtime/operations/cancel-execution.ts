import type { CancelReceipt } from '../contract/models.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import type { ProjectPorts } from './choose-project.ts'
import { findHead, unknownExecution, type WhichExecution } from './find-execution.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { finished } from './send-event.ts'

/** Repeatable: an Execution that is cancelled already says so. */
export const cancelExecution = async (
  ports: ProjectPorts & Pick<OperationPorts, 'worker'>,
  which: WhichExecution,
): Promise<WireJson<CancelReceipt>> => {
  const { id, key } = await findHead(ports, which)
  const outcome = await ports.worker.cancel(key)
  if (outcome.kind === 'gone') throw unknownExecution(id)
  if (outcome.kind === 'finished' && outcome.status !== 'cancelled') throw finished(id, outcome.status)
  return toWire({ id, status: outcome.status })
}
