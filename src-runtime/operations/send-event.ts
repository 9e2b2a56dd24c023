import { ApiError } from '../contract/errors.ts'
import type { EventReceipt, NewEvent } from '../contract/models.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import { isTerminal, type JsonText, type Status } from '../engine/journal.ts'
import type { ExecutionIdentity, ReceivedWith } from '../ports/executions.ts'
import { bodyHash } from './canonical-json.ts'
import type { ProjectPorts } from './choose-project.ts'
import { findHead, identify, unknownExecution } from './find-execution.ts'
import { jsonTextOf } from './json-text-of.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { iso } from './show-execution.ts'
import { conflict } from './start-execution.ts'

/** How long a sender should wait before it tries again to reach an Execution whose buffer is full. */
const RETRY_AFTER_SECONDS = '5'

type SendPorts = ProjectPorts & Pick<OperationPorts, 'worker' | 'ids' | 'schemas'>

export const sendEvent = async (
  ports: SendPorts,
  request: {
    readonly id: string
    readonly projectId: string | undefined
    readonly idempotencyKey: string | undefined
    readonly event: NewEvent
  },
): Promise<WireJson<EventReceipt>> => {
  const { event, idempotencyKey } = request
  const { name } = event
  if (!name.isWellFormed()) throw new ApiError('invalid_request', 'body/name must be well-formed Unicode')
  const execution = await identify(ports, request)
  const idempotency = idempotencyKey === undefined ? undefined : { key: idempotencyKey, bodyHash: bodyHash(event) }
  const earlier = idempotency && (await ports.store.executions.receivedWith(execution.key, idempotency.key))
  if (earlier !== undefined) return repeated(ports, execution, earlier, idempotency?.bodyHash)
  const payload = await checkedPayload(ports, execution, event).catch(async (error: unknown) => {
    // One that has ended takes no event, whatever its payload.
    const { status } = await findHead(ports, request)
    throw isTerminal(status) ? finished(execution.id, status) : error
  })

  const id = ports.ids('evt')
  const outcome = await ports.worker.sendEvent(execution.key, {
    id,
    name,
    ...(payload !== undefined && { payload }),
    ...(idempotency !== undefined && { idempotency }),
  })
  switch (outcome.kind) {
    case 'received':
      return toWire({ id, executionId: execution.id, name, receivedAt: iso(outcome.receivedAt) })
    case 'repeated':
      return repeated(ports, execution, outcome.received, idempotency?.bodyHash)
    case 'finished':
      throw finished(execution.id, outcome.status)
    case 'gone':
      throw unknownExecution(execution.id)
    case 'buffer_full':
      throw new ApiError(
        'rate_limited',
        `Execution ${execution.id} has 10,000 events, or 64 MiB of them, that its Program has not taken yet.`,
        { 'retry-after': RETRY_AFTER_SECONDS },
      )
  }
}

const checkedPayload = async (
  { store, schemas }: SendPorts,
  execution: ExecutionIdentity,
  event: NewEvent,
): Promise<JsonText | undefined> => {
  const payload = Object.hasOwn(event, 'payload') ? jsonTextOf('payload', event.payload) : undefined
  const version = await store.programs.ofExecution(execution)
  if (version !== undefined) await schemas.checkPayload(version, event.name, event.payload, payload)
  return payload
}

/** The receipt of the event that the key was sent with before. */
const repeated = async (
  { store }: SendPorts,
  execution: ExecutionIdentity,
  earlier: ReceivedWith,
  hash: string | undefined,
): Promise<WireJson<EventReceipt>> => {
  if (earlier.bodyHash !== hash) return conflict()
  const entry = await store.journal.entry(execution.key, earlier.position)
  if (entry?.data === undefined || entry.name === undefined) throw unknownExecution(execution.id)
  const { id } = JSON.parse(entry.data) as { readonly id: string }
  return toWire({ id, executionId: execution.id, name: entry.name, receivedAt: iso(entry.at) })
}

export const finished = (id: string, status: Status): ApiError =>
  new ApiError('execution_finished', `Execution ${id} is ${status}.`)
