import type { BulkFilter } from '../contract/inspection-models.ts'
import type { ExecutionSummary } from '../contract/models.ts'
import { wireList } from '../contract/wire-json.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'
import { decodeNumber, encodeCursor, limitOf, type PageRequest } from './page-cursor.ts'
import { readFilter } from './read-filter.ts'
import { showSummary } from './show-execution.ts'

export const listExecutions = async (
  ports: ProjectPorts,
  request: { readonly projectId: string | undefined; readonly page: PageRequest; readonly filter: BulkFilter },
) => {
  const { filter, page } = request
  const { items, more } = await ports.store.overview.list({
    ...readFilter('query', await chooseProject(ports, request.projectId), filter),
    limit: limitOf(page),
    ...(page.cursor !== undefined && { beforeKey: decodeNumber('executions', page.cursor) }),
  })
  const last = items.at(-1)
  return wireList<ExecutionSummary>(
    items.map(showSummary),
    more && last !== undefined ? encodeCursor('executions', last.head.key) : null,
  )
}
