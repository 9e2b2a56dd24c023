import { ApiError } from '../contract/errors.ts'
import type { ExecutionHead } from '../engine/execution-state.ts'
import type { ExecutionIdentity, OutcomeRecord } from '../ports/executions.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'
import { beginningOf } from '../shared/beginning-of.ts'

export type WhichExecution = { readonly id: string; readonly projectId: string | undefined }

/** An Execution is found by its id alone. If the request names a project, it must be the Execution's. */
export const findHead = (ports: ProjectPorts, which: WhichExecution): Promise<ExecutionHead> =>
  find(ports, which, ports.store.executions.find, (head) => head)

/** What never changes of it. It may have been deleted since. */
export const identify = (ports: ProjectPorts, which: WhichExecution): Promise<ExecutionIdentity> =>
  find(ports, which, ports.store.executions.identify, (found) => found)

export const findOutcome = (
  ports: ProjectPorts,
  which: WhichExecution,
): Promise<{ readonly head: ExecutionHead; readonly outcome: OutcomeRecord }> =>
  find(ports, which, ports.store.executions.findOutcome, ({ head }) => head)

const find = async <Found>(
  ports: ProjectPorts,
  { id, projectId }: WhichExecution,
  read: (id: string) => Found | undefined | Promise<Found | undefined>,
  identityOf: (found: Found) => ExecutionIdentity,
): Promise<Found> => {
  const chosen = projectId === undefined ? undefined : await chooseProject(ports, projectId)
  const found = await read(id)
  if (found === undefined) throw unknownExecution(id)
  if (chosen !== undefined && identityOf(found).projectId !== chosen) {
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
  JSON.stringify(id.length > SHOWN_CHARACTERS ? `${beginningOf(id, SHOWN_CHARACTERS)}…` : id)
