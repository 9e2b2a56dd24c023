import { checkName } from '../contract/check-name.ts'
import { ApiError } from '../contract/errors.ts'
import type { NewProject, Project } from '../contract/models.ts'
import type { WireJson } from '../contract/wire-json.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { showProject } from './show-program.ts'

export const createProject = async (
  { store, ids, now }: Pick<OperationPorts, 'store' | 'ids' | 'now'>,
  { name }: NewProject,
): Promise<WireJson<Project>> => {
  checkName(name)
  const outcome = await store.projects.create({ id: ids('prj'), name, createdAt: now() })
  if (outcome.kind === 'name_taken') {
    throw new ApiError('project_exists', `There is a project named ${JSON.stringify(name)} already.`)
  }
  if (outcome.kind === 'too_many') {
    throw new ApiError('invalid_request', `This workspace has ${outcome.most} projects, as many as it may have.`)
  }
  return showProject(outcome.project)
}
