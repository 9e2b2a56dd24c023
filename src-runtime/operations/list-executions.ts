import type { BulkFilter } from '../contract/inspection-models.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'
import {
  decodeNumber,
  encodeCursor,
  limitOf,
  openCursor,
  sealCursor,
  wirePage,
  type PageRequest,
} from './page-cursor.ts'
import { readFilter } from './read-filter.ts'
import { showSummary } from './show-execution.ts'

export const listExecutions = async (
  ports: ProjectPorts,
  request: { readonly projectId: string | undefined; readonly page: PageRequest; readonly filter: BulkFilter },
) => {
  const { filter, page } = request
  const sealed = await ports.store.sealedCursors?.()
  const executions = await ports.store.overview.list({
    ...readFilter('query', await chooseProject(ports, request.projectId), filter),
    limit: limitOf(page),
    ...(page.cursor !== undefined && { beforeKey: decodeNumber('executions', openCursor(sealed, page.cursor)) }),
  })
  return wirePage(executions, showSummary, ({ head }) => sealCursor(sealed, encodeCursor('executions', head.key)))
}
