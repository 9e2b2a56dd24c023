import type { Project } from '../contract/models.ts'
import { wireList } from '../contract/wire-json.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { showProject } from './show-program.ts'

export const listProjects = async ({ store }: Pick<OperationPorts, 'store'>) =>
  wireList<Project>((await store.projects.list()).map(showProject), null)
