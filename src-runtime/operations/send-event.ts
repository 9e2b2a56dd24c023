import { ApiError } from '../contract/errors.ts'
import type { EventReceipt, NewEvent } from '../contract/models.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import { isTerminal, type Status } from '../engine/journal.ts'
import { findExecution, unknownExecution } from './find-execution.ts'
import { jsonTextOf } from './json-text-of.ts'
import type { OperationPorts } from './operation-ports.ts'
import { iso } from './show-execution.ts'

/** How long a sender should wait before it tries again to reach an Execution whose buffer is full. */
const RETRY_AFTER_SECONDS = '5'

export const sendEvent = async (
  ports: Pick<OperationPorts, 'store' | 'worker' | 'ids' | 'schemas'>,
  request: { readonly id: string; readonly projectId: string | undefined; readonly event: NewEvent },
): Promise<WireJson<EventReceipt>> => {
  const { name } = request.event
  if (!name.isWellFormed()) throw new ApiError('invalid_request', 'body/name must be well-formed Unicode')
  const { head } = findExecution(ports, request)
  if (isTerminal(head.status)) throw finished(head.id, head.status)
  const payload = Object.hasOwn(request.event, 'payload') ? jsonTextOf('payload', request.event.payload) : undefined
  const version = ports.store.programs.version(head.projectId, head.programId, head.versionNumber)
  if (version !== undefined) ports.schemas.checkPayload(version, name, request.event.payload, payload)

  const id = ports.ids('evt')
  const outcome = await ports.worker.sendEvent(head.key, { id, name, ...(payload !== undefined && { payload }) })
  switch (outcome.kind) {
    case 'received':
      return toWire({ id, executionId: head.id, name, receivedAt: iso(outcome.receivedAt) })
    case 'finished':
      throw finished(head.id, outcome.status)
    case 'gone':
      throw unknownExecution(head.id)
    case 'buffer_full':
      throw new ApiError(
        'rate_limited',
        `Execution ${head.id} has 10,000 events, or 64 MiB of them, that its Program has not taken yet.`,
        { 'retry-after': RETRY_AFTER_SECONDS },
      )
  }
}

export const finished = (id: string, status: Status): ApiError =>
  new ApiError('execution_finished', `Execution ${id} is ${status}.`)
