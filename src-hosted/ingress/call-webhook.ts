// One call of a webhook, from its address to the Execution that it started. Its Trigger is found before the body is read.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import { IDEMPOTENCY_KEY_LIMIT } from '../../src-runtime/contract/limits.ts'
import { headerText } from '../../src-runtime/http/header-text.ts'
import { parseJsonBody } from '../../src-runtime/http/json-body.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { secretContext } from '../environment/secret-contexts.ts'
import { SecretKeyError, type SecretKeys } from '../environment/secret-keys.ts'
import type { LimitsOf } from '../limits/limits.ts'
import type { TokenBuckets } from '../limits/token-buckets.ts'
import type { OwnedTrigger, ScheduleStore, WebhookTrigger } from '../store/tenancy.ts'
import { isPublicId, signatureFault, signatureHeadersFault } from '../triggers/signatures.ts'
import { startFromTrigger, type StartPorts } from '../triggers/start-from-trigger.ts'
import type { NoteFired } from './note-latest.ts'

export type CallWebhookDeps = {
  readonly triggers: Pick<ScheduleStore, 'findWebhook'>
  /** What starts Executions in a workspace. */
  readonly portsOf: (owner: Pick<OwnedTrigger, 'workspaceId' | 'defaultProjectId'>) => StartPorts
  readonly secrets: SecretKeys
  readonly limits: LimitsOf
  readonly buckets: TokenBuckets
  /** The same in all processes, in ms since the epoch: the clock of this machine may be wrong. */
  readonly now: () => number
  /** Notes what came of a call. */
  readonly note: NoteFired
}

export type WebhookCall = {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

export type OwnedWebhook = OwnedTrigger<WebhookTrigger>

/** Rejects with an ApiError when there is none that may be called. */
export const findWebhook = async ({ triggers }: CallWebhookDeps, publicId: string): Promise<OwnedWebhook> => {
  const owned = isPublicId(publicId) ? await triggers.findWebhook(publicId) : undefined
  // Nobody is told whether there was, or could be, a Trigger of that address.
  if (owned === undefined || !owned.trigger.enabled) throw noTrigger()
  return owned
}

/** Throws an ApiError when the call is refused whatever its body is. Counts it, unless its signature is still to be checked. */
export const admitCall = (deps: CallWebhookDeps, owned: OwnedWebhook, headers: WebhookCall['headers']): void => {
  if (owned.trigger.secret === undefined) refuseTooMany(deps, owned, 'hook')
  else refuseUnsigned(deps, owned, signatureHeadersFault(headers, deps.now()))
}

export const noTrigger = () => new ApiError('trigger_not_found', 'There is no such webhook.')

/** Settles with the Execution's id once it is durable. Rejects with an ApiError. */
export const callWebhook = async (deps: CallWebhookDeps, owned: OwnedWebhook, call: WebhookCall): Promise<string> => {
  const { trigger } = owned
  if (trigger.secret !== undefined) {
    const secret = openSecret(deps, trigger.id, trigger.secret)
    refuseUnsigned(deps, owned, signatureFault(secret, call.headers, call.body, deps.now()))
    refuseTooMany(deps, owned, 'hook')
  }
  const input = inputOf(call)
  const once = keyOf(call.headers)
  const start = { ...input, ...(once !== undefined && { once }) }
  const started = await startFromTrigger(deps.portsOf(owned), trigger, start)
  const { executionId, isRepeated } = started
  if (!isRepeated) deps.note(owned, { executionId })
  return executionId
}

/** This process may have the wrong keys: then whoever calls should try again. */
const openSecret = ({ secrets }: CallWebhookDeps, triggerId: string, sealed: string): string => {
  try {
    return secrets.open(sealed, secretContext(triggerId))
  } catch (cause) {
    if (!(cause instanceof SecretKeyError)) throw cause
    throw new StoreUnavailableError(`the signing secret of ${triggerId} cannot be read (${cause.message})`, { cause })
  }
}

/** So that whoever looks at the Trigger sees why nothing starts. */
export const noteRefusal = ({ note }: CallWebhookDeps, owned: OwnedWebhook, refusal: ApiError): void => {
  // The service's own faults pass, and calls over the rate write nothing.
  if (refusal.status >= 500 || refusal.code === 'rate_limited') return
  note(owned, { error: refusal.message })
}

const refuseTooMany = (
  { limits, buckets }: CallWebhookDeps,
  { workspaceId, trigger }: OwnedTrigger,
  bucket: 'hook' | 'unsigned',
): void => {
  const { hooksPerSecond, hookBurst } = limits(workspaceId)
  const waitSeconds = buckets.take(`${bucket}:${trigger.id}`, { perSecond: hooksPerSecond, burst: hookBurst })
  if (waitSeconds === undefined) return
  const headers = { 'retry-after': String(waitSeconds) }
  throw new ApiError('rate_limited', `This webhook may be called ${hooksPerSecond} times per second.`, headers)
}

/** Calls that are not signed are counted apart: whoever knows only the address cannot use up the rate of those that are. */
const refuseUnsigned = (deps: CallWebhookDeps, owned: OwnedWebhook, fault: string | undefined): void => {
  if (fault === undefined) return
  refuseTooMany(deps, owned, 'unsigned')
  throw new ApiError('invalid_signature', `The call is not signed as Standard Webhooks says: ${fault}.`)
}

const JSON_TYPE = /^(?:application\/json|[a-z0-9!#$&^_.-]+\/[a-z0-9!#$&^_.+-]+\+json)\s*(?:;|$)/i
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i

/** The body is the input; without a body there is none. */
const inputOf = ({ headers, body }: WebhookCall): { readonly input?: unknown } => {
  if (body.length === 0) return {}
  const type = headers['content-type'] ?? ''
  const charset = CHARSET.exec(type)?.[1] ?? 'utf-8'
  const encoding = headers['content-encoding'] ?? 'identity'
  if (!JSON_TYPE.test(type) || !/^utf-?8$/i.test(charset) || encoding.toLowerCase() !== 'identity') {
    throw new ApiError(
      'unsupported_media_type',
      'A body must come with content-type: application/json, or one that ends in +json, in UTF-8 and not compressed.',
    )
  }
  return { input: parseJsonBody(body) }
}

/** What tells a call that is sent again from another one. */
const keyOf = (headers: WebhookCall['headers']): string | undefined => {
  const key = headers['webhook-id'] ?? headers['idempotency-key']
  if (key !== undefined && (key === '' || [...headerText(key)].length > IDEMPOTENCY_KEY_LIMIT)) {
    const name = headers['webhook-id'] === undefined ? 'idempotency-key' : 'webhook-id'
    throw new ApiError('invalid_request', `headers/${name} must have 1 to ${IDEMPOTENCY_KEY_LIMIT} characters`)
  }
  return key
}
