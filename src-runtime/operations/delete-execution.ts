import { ApiError } from '../contract/errors.ts'
import type { ProjectPorts } from './choose-project.ts'
import { findHead, unknownExecution, type WhichExecution } from './find-execution.ts'

export const deleteExecution = async (ports: ProjectPorts, which: WhichExecution): Promise<void> => {
  const { id, key } = await findHead(ports, which)
  const deleted = await ports.store.executions.delete(key)
  if (deleted === undefined) throw unknownExecution(id)
  if (deleted.kind === 'not_finished') {
    throw new ApiError(
      'execution_not_finished',
      `Execution ${id} is ${deleted.status}: only one that has ended can be deleted. Cancel it first.`,
    )
  }
}
