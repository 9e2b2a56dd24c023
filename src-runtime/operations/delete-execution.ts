import { ApiError } from '../contract/errors.ts'
import { isTerminal, type Status } from '../engine/journal.ts'
import type { ProjectPorts } from './choose-project.ts'
import { findHead, unknownExecution, type WhichExecution } from './find-execution.ts'

export const deleteExecution = async (ports: ProjectPorts, which: WhichExecution): Promise<void> => {
  const { id, key, status } = await findHead(ports, which)
  // Only after the commit of its end: if the deletion shared that commit, those who wait for the end would find nothing.
  if (!isTerminal(status)) throw notFinished(id, status)
  const deleted = await ports.store.executions.delete(key)
  if (deleted === undefined) throw unknownExecution(id)
  if (deleted.kind === 'not_finished') throw notFinished(id, deleted.status)
}

const notFinished = (id: string, status: Status): ApiError =>
  new ApiError(
    'execution_not_finished',
    `Execution ${id} is ${status}: only one that has ended can be deleted. Cancel it first.`,
  )
