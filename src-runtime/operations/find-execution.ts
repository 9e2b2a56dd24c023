import { ApiError } from '../contract/errors.ts'
import type { ExecutionHead } from '../engine/execution-state.ts'
import { chooseProject } from './choose-project.ts'
import type { OperationPorts } from './operation-ports.ts'

/** An Execution is found by its id alone; a project that is named has to be its own. */
export const findExecution = (
  ports: Pick<OperationPorts, 'store'>,
  request: { readonly id: string; readonly projectId: string | undefined },
): ExecutionHead => {
  const { executions } = ports.store
  if (request.projectId !== undefined) chooseProject(ports, request.projectId)
  const key = executions.keyOf(request.id)
  const head = key === undefined ? undefined : executions.head(key)
  if (head === undefined) throw new ApiError('execution_not_found', `There is no Execution ${quoted(request.id)}.`)
  if (request.projectId !== undefined && head.projectId !== request.projectId) {
    throw new ApiError(
      'execution_not_found',
      `There is no Execution ${quoted(request.id)} in project ${quoted(request.projectId)}.`,
    )
  }
  return head
}

const SHOWN_CHARACTERS = 80

const quoted = (id: string): string =>
  JSON.stringify(id.length > SHOWN_CHARACTERS ? `${id.slice(0, SHOWN_CHARACTERS)}…` : id)
