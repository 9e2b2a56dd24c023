import { chooseProject, type ProjectPorts } from './choose-project.ts'
import { findProgram } from './find-program.ts'
import { showProgram } from './show-program.ts'

export const getProgram = async (
  ports: ProjectPorts,
  request: { readonly id: string; readonly projectId: string | undefined },
) => showProgram(await findProgram(ports, await chooseProject(ports, request.projectId), request.id))
