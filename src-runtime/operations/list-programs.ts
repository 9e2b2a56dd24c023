import { chooseProject, type ProjectPorts } from './choose-project.ts'
import { decodeId, encodeCursor, limitOf, wirePage, type PageRequest } from './page-cursor.ts'
import { showProgram } from './show-program.ts'

export const listPrograms = async (
  ports: ProjectPorts,
  request: { readonly projectId: string | undefined; readonly page: PageRequest },
) => {
  const { cursor } = request.page
  const which = {
    projectId: await chooseProject(ports, request.projectId),
    ...(cursor !== undefined && { afterId: decodeId('programs', cursor) }),
    limit: limitOf(request.page),
  }
  let programs = await ports.store.programs.list(which)
  const isEmpty = cursor === undefined && programs.items.length === 0
  if (isEmpty && (await ports.sourceRead?.()) === true) programs = await ports.store.programs.list(which)
  return wirePage(programs, showProgram, ({ id }) => encodeCursor('programs', id))
}
