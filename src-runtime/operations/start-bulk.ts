import { ApiError } from '../contract/errors.ts'
import type { Bulk, NewBulk } from '../contract/inspection-models.ts'
import { BULK_LIMIT } from '../contract/limits.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import type { BulkTarget } from '../ports/bulks.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'
import { readFilter } from './read-filter.ts'

/** How long to wait before asking again for a bulk, when too many are under way. */
const RETRY_AFTER_SECONDS = '5'

export const startBulk = async (
  ports: ProjectPorts & Pick<OperationPorts, 'ids' | 'bulks'>,
  request: { readonly projectId: string | undefined; readonly body: NewBulk },
): Promise<WireJson<Bulk>> => {
  const { action, ids, filter } = request.body
  if ((ids === undefined) === (filter === undefined)) {
    throw new ApiError('invalid_request', 'body must have either "ids" or "filter"')
  }
  const projectId = await chooseProject(ports, request.projectId)
  // Ids are found whatever their project is, unless one is chosen.
  const target: BulkTarget =
    ids === undefined
      ? { kind: 'filter', filter: readFilter('body/filter', projectId, filter ?? {}) }
      : { kind: 'ids', ids, projectId: request.projectId === undefined ? undefined : projectId }
  const started = await ports.bulks.start({ id: ports.ids('blk'), action, target })
  switch (started.kind) {
    case 'started':
      return toWire(started.bulk)
    case 'too_many_matched':
      throw new ApiError(
        'invalid_request',
        `body/filter matches more than ${BULK_LIMIT} Executions: narrow it, for example by time.`,
      )
    case 'too_many_under_way':
      throw new ApiError('rate_limited', 'Too many bulks are under way already.', {
        'retry-after': RETRY_AFTER_SECONDS,
      })
  }
}
