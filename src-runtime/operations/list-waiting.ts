import { toWire } from '../contract/wire-json.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { decodeWaiting, encodeWaiting, limitOf, wirePage, type PageRequest } from './page-cursor.ts'
import { iso } from './show-execution.ts'

export const listWaiting = async (
  ports: ProjectPorts & Pick<OperationPorts, 'reuse'>,
  request: { readonly projectId: string | undefined; readonly page: PageRequest },
) => {
  const { cursor } = request.page
  const query = {
    projectId: await chooseProject(ports, request.projectId),
    ...(cursor !== undefined && { after: decodeWaiting(cursor) }),
    limit: limitOf(request.page),
  }
  const groups = await ports.reuse(['waiting', query], async () => ports.store.overview.waiting(query))
  return wirePage(groups, (group) => toWire({ ...group, oldestSince: iso(group.oldestSince) }), encodeWaiting)
}
