// What a list of Triggers becomes when another one replaces it. A Trigger that is kept by its id keeps its address, and a
// schedule whose times do not change keeps the next of them, missed ones included.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import type { NewTrigger, NewTriggers } from '../../src-runtime/contract/trigger-models.ts'
import type { ScheduleTrigger, TriggerRecord, WebhookTrigger } from '../store/tenancy.ts'
import { DEFAULT_TIMEZONE, itemsOf, placeOf, type FirstTimes } from './check-new-triggers.ts'
import { nextAfter } from './cron.ts'
import { beginningOf } from '../../src-runtime/shared/beginning-of.ts'

export type MakeTrigger = {
  newId(): string
  newPublicId(): string
  newSecret(): string
  /** The signing secret of the Trigger of that id, as it is stored. */
  sealSecret(triggerId: string, secret: string): string
  openSecret(triggerId: string, sealed: string): string
}

export type ReplacePlan = {
  readonly items: readonly TriggerRecord[]
  /** Signing secrets that were generated, by id of the Trigger. */
  readonly shown: ReadonlyMap<string, string>
}

/**
 * `body` was checked, which found `firstTimes`. Throws `trigger_not_found`, and `invalid_request` for a Trigger of another type than before.
 */
export const planReplacement = (
  projectId: string,
  body: NewTriggers,
  firstTimes: FirstTimes,
  current: readonly TriggerRecord[],
  now: number,
  make: MakeTrigger,
): ReplacePlan => {
  const known = new Map(current.map((trigger) => [trigger.id, trigger]))
  const shown = new Map<string, string>()
  const items = itemsOf(body).map((item, index): TriggerRecord => {
    const before = item.id === undefined ? undefined : known.get(item.id)
    if (item.id !== undefined && before === undefined) throw unknownTrigger(item.id)
    if (before !== undefined && before.type !== item.type) {
      const message = `${placeOf(body, index)}/type was ${before.type} before, and a Trigger keeps its type`
      throw new ApiError('invalid_request', message)
    }
    const after = becomes(projectId, item, before, now, firstTimes.get(item), make, shown)
    return before !== undefined && isSame(before, after) ? before : after
  })
  return { items, shown }
}

export const unknownTrigger = (id: string): ApiError =>
  new ApiError('trigger_not_found', `There is no Trigger ${JSON.stringify(beginningOf(id, 80))} in this project.`)

const becomes = (
  projectId: string,
  item: NewTrigger,
  before: TriggerRecord | undefined,
  now: number,
  firstTime: number | undefined,
  make: MakeTrigger,
  shown: Map<string, string>,
): TriggerRecord => {
  const common = {
    id: before?.id ?? make.newId(),
    projectId,
    programId: item.programId,
    ...(item.name !== undefined && { name: item.name }),
    enabled: item.enabled ?? true,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
    ...(before?.lastFiredAt !== undefined && { lastFiredAt: before.lastFiredAt }),
    ...(before?.lastExecutionId !== undefined && { lastExecutionId: before.lastExecutionId }),
    ...(before?.lastError !== undefined && { lastError: before.lastError }),
  }
  if (item.type === 'schedule') {
    return { ...common, type: 'schedule', ...scheduleOf(item, before as ScheduleTrigger | undefined, now, firstTime) }
  }
  const webhook = before as WebhookTrigger | undefined
  const secret = secretOf(item, webhook, common.id, make, shown)
  return {
    ...common,
    type: 'webhook',
    publicId: webhook?.publicId ?? make.newPublicId(),
    ...(secret !== undefined && { secret }),
  }
}

const secretOf = (
  { secret }: NewTrigger,
  before: WebhookTrigger | undefined,
  id: string,
  make: MakeTrigger,
  shown: Map<string, string>,
): string | undefined => {
  if (secret === null) return undefined
  if (secret === undefined) return before?.secret
  if (secret !== 'generate') {
    // Sealed again it would differ, and count as a change.
    const isOwn = before?.secret !== undefined && make.openSecret(id, before.secret) === secret
    return isOwn ? before.secret : make.sealSecret(id, secret)
  }
  const made = make.newSecret()
  shown.set(id, made)
  return make.sealSecret(id, made)
}

const scheduleOf = (
  { cron = '', timezone = DEFAULT_TIMEZONE, enabled = true, input }: NewTrigger,
  before: ScheduleTrigger | undefined,
  now: number,
  firstTime = 0,
): Pick<ScheduleTrigger, 'cron' | 'timezone' | 'input' | 'nextFireAt'> => {
  const isOnTime = before?.nextFireAt !== undefined && before.cron === cron && before.timezone === timezone
  const found = firstTime > now ? firstTime : nextAfter({ cron, timezone }, now)
  // The time before may have been found by a clock that was set back since.
  const next = isOnTime ? Math.min(before.nextFireAt, found ?? Infinity) : found
  return {
    cron,
    timezone,
    ...(input !== undefined && { input: JSON.stringify(input) }),
    ...(enabled && next !== undefined && { nextFireAt: next }),
  }
}

const isSame = (one: TriggerRecord, other: TriggerRecord): boolean => {
  const names = new Set([...Object.keys(one), ...Object.keys(other)] as (keyof TriggerRecord)[])
  names.delete('updatedAt')
  return [...names].every((name) => one[name] === other[name])
}
