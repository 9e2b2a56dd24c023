import type { Version } from '../contract/models.ts'
import { wireList } from '../contract/wire-json.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'
import { findProgram } from './find-program.ts'
import { decodeNumber, encodeCursor, limitOf, type PageRequest } from './page-cursor.ts'
import { showVersion } from './show-program.ts'

export const listVersions = async (
  ports: ProjectPorts,
  request: { readonly id: string; readonly projectId: string | undefined; readonly page: PageRequest },
) => {
  const { cursor } = request.page
  const program = await findProgram(ports, await chooseProject(ports, request.projectId), request.id)
  const { items, more } = await ports.store.programs.versions({
    projectId: program.projectId,
    programId: program.id,
    ...(cursor !== undefined && { beforeNumber: decodeNumber('versions', cursor) }),
    limit: limitOf(request.page),
  })
  const last = items.at(-1)
  return wireList<Version>(
    items.map(showVersion),
    more && last !== undefined ? encodeCursor('versions', last.number) : null,
  )
}
