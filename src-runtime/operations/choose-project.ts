import { ApiError } from '../contract/errors.ts'
import type { OperationPorts } from './operation-ports.ts'

export const DEFAULT_PROJECT_ID = 'default'

/** The id of the project that a request works in. */
export const chooseProject = ({ store }: Pick<OperationPorts, 'store'>, projectId: string | undefined): string => {
  if (projectId === undefined) return DEFAULT_PROJECT_ID
  if (store.projects.get(projectId) === undefined) throw unknownProject(projectId)
  return projectId
}

export const unknownProject = (projectId: string): ApiError =>
  new ApiError('project_not_found', `There is no project ${JSON.stringify(projectId)}.`)
