import { ApiError } from '../contract/errors.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'

export type ProjectPorts = Pick<OperationPorts, 'store' | 'defaultProjectId' | 'sourceRead'>

/** The id of the project that a request works in. */
export const chooseProject = (ports: ProjectPorts, projectId: string | undefined): string | Promise<string> =>
  projectId === undefined ? ports.defaultProjectId : findProject(ports, projectId)

/** The id of the project that a config names, by name or by id. */
export const projectNamed = (
  projects: readonly { readonly id: string; readonly name: string }[],
  named: string | undefined,
): string | undefined => projects.find(({ id, name }) => id === named || name === named)?.id

const findProject = async ({ store }: ProjectPorts, projectId: string): Promise<string> => {
  const project = await store.projects.get(projectId)
  if (project === undefined) throw unknownProject(projectId)
  return project.id
}

const unknownProject = (projectId: string): ApiError =>
  new ApiError('project_not_found', `There is no project ${JSON.stringify(projectId)}.`)
