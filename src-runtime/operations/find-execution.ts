import { ApiError } from '../contract/errors.ts'
import type { ExecutionHead } from '../engine/execution-state.ts'
import type { ExecutionRecord, Store } from '../store/store.ts'
import { chooseProject } from './choose-project.ts'
import type { OperationPorts } from './operation-ports.ts'

export type WhichExecution = { readonly id: string; readonly projectId: string | undefined }

/** An Execution is found by its id alone. If the request names a project, it must be the Execution's. */
export const findHead = (ports: Pick<OperationPorts, 'store'>, which: WhichExecution): ExecutionHead => {
  const { id, projectId } = which
  if (projectId !== undefined) chooseProject(ports, projectId)
  const key = ports.store.executions.keyOf(id)
  const head = key === undefined ? undefined : ports.store.executions.head(key)
  if (head === undefined) throw unknownExecution(id)
  if (projectId !== undefined && head.projectId !== projectId) {
    throw new ApiError('execution_not_found', `There is no Execution ${quoted(id)} in project ${quoted(projectId)}.`)
  }
  return head
}

/** With all that it waits for, which may be thousands of commands. */
export const findExecution = (ports: Pick<OperationPorts, 'store'>, which: WhichExecution): ExecutionRecord =>
  readAgain(ports.store, findHead(ports, which).key)

export const unknownExecution = (id: string): ApiError =>
  new ApiError('execution_not_found', `There is no Execution ${quoted(id)}.`)

/** Reads an Execution again. It may have been deleted while a request waited. */
export const readAgain = (store: Store, key: number): ExecutionRecord => {
  const record = store.executions.record(key)
  if (record === undefined) throw new ApiError('execution_not_found', 'The Execution is not there any more.')
  return record
}

const SHOWN_CHARACTERS = 80

const quoted = (id: string): string =>
  JSON.stringify(id.length > SHOWN_CHARACTERS ? `${id.slice(0, SHOWN_CHARACTERS)}…` : id)
