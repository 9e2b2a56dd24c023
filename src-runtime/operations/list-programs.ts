import { chooseProject, type ProjectPorts } from './choose-project.ts'
import { decodeId, encodeCursor, limitOf, wirePage, type PageRequest } from './page-cursor.ts'
import { showProgram } from './show-program.ts'

export const listPrograms = async (
  ports: ProjectPorts,
  request: { readonly projectId: string | undefined; readonly page: PageRequest },
) => {
  const { cursor } = request.page
  const programs = await ports.store.programs.list({
    projectId: await chooseProject(ports, request.projectId),
    ...(cursor !== undefined && { afterId: decodeId('programs', cursor) }),
    limit: limitOf(request.page),
  })
  return wirePage(programs, showProgram, ({ id }) => encodeCursor('programs', id))
}
