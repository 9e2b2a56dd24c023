import { ApiError } from '../contract/errors.ts'
import type { Bulk, NewBulk } from '../contract/inspection-models.ts'
import { BULK_LIMIT } from '../contract/limits.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import type { BulkStep } from './bulks.ts'
import { cancelExecution } from './cancel-execution.ts'
import { chooseProject } from './choose-project.ts'
import { deleteExecution } from './delete-execution.ts'
import { findHead } from './find-execution.ts'
import type { OperationPorts } from './operation-ports.ts'
import { readFilter } from './read-filter.ts'
import { startExecution } from './start-execution.ts'

type BulkPorts = Pick<OperationPorts, 'store' | 'worker' | 'ids' | 'now' | 'schemas' | 'bulks'>

export const startBulk = async (
  ports: BulkPorts,
  request: { readonly projectId: string | undefined; readonly body: NewBulk },
): Promise<WireJson<Bulk>> => {
  const { action, ids, filter } = request.body
  if ((ids === undefined) === (filter === undefined)) {
    throw new ApiError('invalid_request', 'body must have either "ids" or "filter"')
  }
  const projectId = chooseProject(ports, request.projectId)
  // Ids are found whatever their project is, unless one is chosen.
  const matched =
    ids === undefined
      ? await keysOf(ports, readFilter('body/filter', projectId, filter ?? {}))
      : [...new Set(ids)].map((id) => ({ id, projectId: request.projectId }))
  const step = STEPS[action]
  return toWire(
    ports.bulks.start({
      id: ports.ids('blk'),
      action,
      matched: matched.length,
      step: (index) => step(ports, whichOf(ports, matched[index]!)),
    }),
  )
}

type Which = { readonly id: string; readonly projectId: string | undefined }

/** A key is enough until it is the Execution's turn: there may be a hundred thousand. */
const keysOf = async ({ store }: BulkPorts, filter: Parameters<typeof store.overview.keys>[0]) => {
  const keys = await store.overview.keys(filter, BULK_LIMIT + 1)
  if (keys.length > BULK_LIMIT) {
    throw new ApiError(
      'invalid_request',
      `body/filter matches more than ${BULK_LIMIT} Executions: narrow it, for example by time.`,
    )
  }
  return keys
}

const whichOf = ({ store }: BulkPorts, matched: number | Which): Which | undefined => {
  if (typeof matched !== 'number') return matched
  const head = store.executions.head(matched)
  return head === undefined ? undefined : { id: head.id, projectId: undefined }
}

type Step = (ports: BulkPorts, which: Which | undefined) => ReturnType<BulkStep>

const unlessGone =
  (act: (ports: BulkPorts, which: Which) => Promise<unknown>): Step =>
  async (ports, which) => {
    if (which === undefined) return false
    await act(ports, which)
    return true
  }

/** Another Execution of the same Program with the same input, of the newest version that can run now. */
const runAgain = async (ports: BulkPorts, which: Which): Promise<unknown> => {
  const head = findHead(ports, which)
  const data = JSON.parse(ports.store.journal.entry(head.key, 1)?.data ?? '{}') as { readonly input?: unknown }
  return startExecution(ports, {
    projectId: head.projectId,
    idempotencyKey: undefined,
    body: { programId: head.programId, againOf: head.id, ...data },
  })
}

const STEPS: Readonly<Record<Bulk['action'], Step>> = {
  cancel: unlessGone(cancelExecution),
  delete: unlessGone(deleteExecution),
  'run-again': unlessGone(runAgain),
}
