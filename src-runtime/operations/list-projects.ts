import type { Project } from '../contract/models.ts'
import { wireList } from '../contract/wire-json.ts'
import type { OperationPorts } from './operation-ports.ts'
import { showProject } from './show-program.ts'

export const listProjects = ({ store }: Pick<OperationPorts, 'store'>) =>
  wireList<Project>(store.projects.list().map(showProject), null)
