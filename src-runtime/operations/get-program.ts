import { chooseProject } from './choose-project.ts'
import { findProgram } from './find-program.ts'
import type { OperationPorts } from './operation-ports.ts'
import { showProgram } from './show-program.ts'

export const getProgram = (
  ports: Pick<OperationPorts, 'store'>,
  request: { readonly id: string; readonly projectId: string | undefined },
) => showProgram(findProgram(ports.store, chooseProject(ports, request.projectId), request.id))
