import { chooseProject, type ProjectPorts } from './choose-project.ts'
import { findProgram } from './find-program.ts'
import { decodeNumber, encodeCursor, limitOf, wirePage, type PageRequest } from './page-cursor.ts'
import { showVersion } from './show-program.ts'

export const listVersions = async (
  ports: ProjectPorts,
  request: { readonly id: string; readonly projectId: string | undefined; readonly page: PageRequest },
) => {
  const { cursor } = request.page
  const program = await findProgram(ports, await chooseProject(ports, request.projectId), request.id)
  const versions = await ports.store.programs.versions({
    projectId: program.projectId,
    programId: program.id,
    ...(cursor !== undefined && { beforeNumber: decodeNumber('versions', cursor) }),
    limit: limitOf(request.page),
  })
  return wirePage(versions, showVersion, ({ number }) => encodeCursor('versions', number))
}
