import type { Bulk } from '../contract/inspection-models.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { cancelExecution } from './cancel-execution.ts'
import type { ProjectPorts } from './choose-project.ts'
import { deleteExecution } from './delete-execution.ts'
import { findHead, type WhichExecution } from './find-execution.ts'
import { startExecution } from './start-execution.ts'

export type ActPorts = ProjectPorts & Pick<OperationPorts, 'worker' | 'ids' | 'now' | 'schemas' | 'runsUploadedEffects'>

/**
 * What a bulk does to each of its Executions. Throws an ApiError when it is not possible. With the same `once`, it starts
 * one Execution.
 */
export const actOnOne = async (
  ports: ActPorts,
  action: Bulk['action'],
  which: WhichExecution,
  once?: string,
): Promise<void> => {
  switch (action) {
    case 'cancel':
      return void (await cancelExecution(ports, which))
    case 'delete':
      return deleteExecution(ports, which)
    case 'run-again':
      return void (await runAgain(ports, which, once))
  }
}

/** Another Execution of the same Program with the same input, of the newest version that can run now. */
const runAgain = async (ports: ActPorts, which: WhichExecution, once: string | undefined): Promise<unknown> => {
  const head = await findHead(ports, which)
  const started = await ports.store.journal.entry(head.key, 1)
  const data = JSON.parse(started?.data ?? '{}') as { readonly input?: unknown }
  return startExecution(ports, {
    projectId: head.projectId,
    idempotencyKey: undefined,
    body: { programId: head.programId, againOf: head.id, ...data },
    ...(once !== undefined && { once }),
  })
}
