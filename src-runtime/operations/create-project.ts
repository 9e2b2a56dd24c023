import { ApiError } from '../contract/errors.ts'
import type { NewProject, Project } from '../contract/models.ts'
import type { WireJson } from '../contract/wire-json.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { showProject } from './show-program.ts'

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u
const VISIBLE = /[^\p{C}\p{Z}]/u

export const createProject = async (
  { store, ids, now }: Pick<OperationPorts, 'store' | 'ids' | 'now'>,
  { name }: NewProject,
): Promise<WireJson<Project>> => {
  if (!name.isWellFormed()) throw new ApiError('invalid_request', 'body/name must be well-formed Unicode')
  if (CONTROL.test(name)) throw new ApiError('invalid_request', 'body/name must not have control characters in it')
  if (!VISIBLE.test(name)) throw new ApiError('invalid_request', 'body/name must not be blank')
  const outcome = await store.projects.create({ id: ids('prj'), name, createdAt: now() })
  if (outcome.kind === 'name_taken') {
    throw new ApiError('project_exists', `There is a project named ${JSON.stringify(name)} already.`)
  }
  return showProject(outcome.project)
}
