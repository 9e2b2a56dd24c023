import { ApiError } from '../contract/errors.ts'
import type { ExecutionSummary } from '../contract/models.ts'
import { wireList } from '../contract/wire-json.ts'
import type { Status } from '../engine/journal.ts'
import { chooseProject } from './choose-project.ts'
import type { OperationPorts } from './operation-ports.ts'
import { decodeNumber, encodeCursor, limitOf, type PageRequest } from './page-cursor.ts'
import { parseTime } from './parse-time.ts'
import { showSummary } from './show-execution.ts'

export type ExecutionFilter = {
  readonly status?: readonly Status[]
  readonly programId?: string
  readonly version?: number
  /** ISO 8601; both exclusive */
  readonly createdAfter?: string
  readonly createdBefore?: string
  readonly q?: string
}

export const listExecutions = (
  ports: Pick<OperationPorts, 'store'>,
  request: { readonly projectId: string | undefined; readonly page: PageRequest; readonly filter: ExecutionFilter },
) => {
  const { filter, page } = request
  const { items, more } = ports.store.executions.list({
    projectId: chooseProject(ports, request.projectId),
    limit: limitOf(page),
    ...(page.cursor !== undefined && { beforeKey: decodeNumber('executions', page.cursor) }),
    ...(filter.status !== undefined && { statuses: [...new Set(filter.status)] }),
    ...(filter.programId !== undefined && { programId: filter.programId }),
    ...(filter.version !== undefined && { versionNumber: filter.version }),
    ...(filter.createdAfter !== undefined && { createdAfter: timeOf('createdAfter', filter.createdAfter) }),
    ...(filter.createdBefore !== undefined && { createdBefore: timeOf('createdBefore', filter.createdBefore) }),
    ...(filter.q !== undefined && filter.q !== '' && { text: filter.q }),
  })
  const last = items.at(-1)
  return wireList<ExecutionSummary>(
    items.map(showSummary),
    more && last !== undefined ? encodeCursor('executions', last.head.key) : null,
  )
}

const timeOf = (name: string, text: string): number => {
  const at = parseTime(text)
  if (at === undefined) {
    throw new ApiError('invalid_request', `query/${name} must be an ISO 8601 time such as 2026-01-31T12:00:00.000Z`)
  }
  return at
}
