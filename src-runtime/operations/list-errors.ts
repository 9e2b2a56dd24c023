import { toWire } from '../contract/wire-json.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'
import {
  decodeErrorGroup,
  encodeErrorGroup,
  limitOf,
  openCursor,
  sealCursor,
  wirePage,
  type PageRequest,
} from './page-cursor.ts'
import { iso } from './show-execution.ts'

export const listErrors = async (
  ports: ProjectPorts,
  request: {
    readonly projectId: string | undefined
    readonly programId: string | undefined
    readonly page: PageRequest
  },
) => {
  const { programId, page } = request
  const sealed = await ports.store.sealedCursors?.()
  const groups = await ports.store.overview.errors({
    projectId: await chooseProject(ports, request.projectId),
    ...(programId !== undefined && { programId }),
    ...(page.cursor !== undefined && { before: decodeErrorGroup(openCursor(sealed, page.cursor)) }),
    limit: limitOf(page),
  })
  return wirePage(
    groups,
    ({ key: _, ...group }) => toWire({ ...group, firstAt: iso(group.firstAt), lastAt: iso(group.lastAt) }),
    (last) => sealCursor(sealed, encodeErrorGroup(last)),
  )
}
