import type { Program } from '../contract/models.ts'
import { wireList } from '../contract/wire-json.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'
import { decodeId, encodeCursor, limitOf, type PageRequest } from './page-cursor.ts'
import { showProgram } from './show-program.ts'

export const listPrograms = async (
  ports: ProjectPorts,
  request: { readonly projectId: string | undefined; readonly page: PageRequest },
) => {
  const { cursor } = request.page
  const { items, more } = await ports.store.programs.list({
    projectId: await chooseProject(ports, request.projectId),
    ...(cursor !== undefined && { afterId: decodeId('programs', cursor) }),
    limit: limitOf(request.page),
  })
  const last = items.at(-1)
  return wireList<Program>(
    items.map(showProgram),
    more && last !== undefined ? encodeCursor('programs', last.id) : null,
  )
}
