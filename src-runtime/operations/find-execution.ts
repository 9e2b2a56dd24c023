import { ApiError } from '../contract/errors.ts'
import type { ExecutionHead } from '../engine/execution-state.ts'
import type { ExecutionIdentity, OutcomeRecord } from '../ports/executions.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'

export type WhichExecution = { readonly id: string; readonly projectId: string | undefined }

/** An Execution is found by its id alone. If the request names a project, it must be the Execution's. */
export const findHead = async (ports: ProjectPorts, which: WhichExecution): Promise<ExecutionHead> => {
  const chosen = await chosenProject(ports, which)
  const head = await ports.store.executions.find(which.id)
  return inProject(which.id, chosen, head, head)
}

/** What never changes of it. It may have been deleted since. */
export const identify = async (ports: ProjectPorts, which: WhichExecution): Promise<ExecutionIdentity> => {
  const chosen = await chosenProject(ports, which)
  const found = await ports.store.executions.identify(which.id)
  return inProject(which.id, chosen, found, found)
}

export const findOutcome = async (
  ports: ProjectPorts,
  which: WhichExecution,
): Promise<{ readonly head: ExecutionHead; readonly outcome: OutcomeRecord }> => {
  const chosen = await chosenProject(ports, which)
  const found = await ports.store.executions.findOutcome(which.id)
  return inProject(which.id, chosen, found?.head, found)
}

const chosenProject = async (ports: ProjectPorts, { projectId }: WhichExecution): Promise<string | undefined> =>
  projectId === undefined ? undefined : chooseProject(ports, projectId)

const inProject = <Found>(
  id: string,
  chosen: string | undefined,
  execution: ExecutionIdentity | undefined,
  found: Found | undefined,
): Found => {
  if (execution === undefined || found === undefined) throw unknownExecution(id)
  if (chosen !== undefined && execution.projectId !== chosen) {
    throw new ApiError('execution_not_found', `There is no Execution ${quoted(id)} in project ${quoted(chosen)}.`)
  }
  return found
}

export const unknownExecution = (id: string): ApiError =>
  new ApiError('execution_not_found', `There is no Execution ${quoted(id)}.`)

/** Of an Execution that was found before: it may have been deleted since. */
export const stillThere = <Found>(found: Found | undefined): Found => {
  if (found === undefined) throw new ApiError('execution_not_found', 'The Execution was deleted.')
  return found
}

const SHOWN_CHARACTERS = 80

const quoted = (id: string): string =>
  JSON.stringify(id.length > SHOWN_CHARACTERS ? `${id.slice(0, SHOWN_CHARACTERS)}…` : id)
