import type { ErrorGroup } from '../contract/inspection-models.ts'
import { toWire, wireList } from '../contract/wire-json.ts'
import { chooseProject } from './choose-project.ts'
import type { OperationPorts } from './operation-ports.ts'
import { decodeErrorGroup, encodeErrorGroup, limitOf, type PageRequest } from './page-cursor.ts'
import { iso } from './show-execution.ts'

export const listErrors = async (
  ports: Pick<OperationPorts, 'store'>,
  request: {
    readonly projectId: string | undefined
    readonly programId: string | undefined
    readonly page: PageRequest
  },
) => {
  const { programId, page } = request
  const { items, more } = await ports.store.overview.errors({
    projectId: chooseProject(ports, request.projectId),
    ...(programId !== undefined && { programId }),
    ...(page.cursor !== undefined && { before: decodeErrorGroup(page.cursor) }),
    limit: limitOf(page),
  })
  const last = items.at(-1)
  return wireList<ErrorGroup>(
    items.map(({ key: _, ...group }) => toWire({ ...group, firstAt: iso(group.firstAt), lastAt: iso(group.lastAt) })),
    more && last !== undefined ? encodeErrorGroup(last) : null,
  )
}
