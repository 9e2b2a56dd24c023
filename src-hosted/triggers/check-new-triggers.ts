// Whether a list of Triggers may replace another one, as far as the list alone can tell.

import { textFault } from '../../src-runtime/contract/check-name.ts'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import type { NewTrigger, NewTriggers } from '../../src-runtime/contract/trigger-models.ts'
import { createYield } from '../../src-runtime/shared/yield-to-event-loop.ts'
import { checkCadence, type CheckedCadence } from './cron.ts'
import { signingSecretFault } from './signatures.ts'

export const DEFAULT_TIMEZONE = 'UTC'

/** Of a list, or of an object that holds it. */
export const itemsOf = (body: NewTriggers): readonly NewTrigger[] => ('triggers' in body ? body.triggers : body)

/** Names the item that is wrong, as faults of schemas do: `body/triggers/3/cron …`. */
export const placeOf = (body: NewTriggers, index: number): string =>
  'triggers' in body ? `body/triggers/${index}` : `body/${index}`

/** When each schedule of a list fires first after a time; both in ms since the epoch. */
export type FirstTimes = ReadonlyMap<NewTrigger, number>

/** Lets other work run in between: reading a thousand schedules takes the processor for half a second. */
export const checkNewTriggers = async (body: NewTriggers, now: number): Promise<FirstTimes> => {
  const ids = new Set<string>()
  const times = new Map<NewTrigger, number>()
  const yieldToEventLoop = createYield()
  for (const [index, item] of itemsOf(body).entries()) {
    const { fault = ids.has(item.id ?? '') ? 'id is there twice' : undefined, next } = check(item, now)
    if (fault !== undefined) throw new ApiError('invalid_request', `${placeOf(body, index)}/${fault}`)
    if (item.id !== undefined) ids.add(item.id)
    if (next !== undefined) times.set(item, next)
    await yieldToEventLoop()
  }
  return times
}

const ONLY: Readonly<Record<NewTrigger['type'], readonly (keyof NewTrigger)[]>> = {
  webhook: ['secret'],
  schedule: ['cron', 'timezone', 'input'],
}

const check = (item: NewTrigger, now: number): CheckedCadence => {
  const other = item.type === 'webhook' ? 'schedule' : 'webhook'
  const foreign = ONLY[other].find((name) => Object.hasOwn(item, name))
  if (foreign !== undefined) return { fault: `${foreign} belongs to a ${other}, and this is a ${item.type}` }
  const unreadable = item.name === undefined ? undefined : textFault(item.name)
  if (unreadable !== undefined) return { fault: `name ${unreadable}` }
  if (item.type === 'webhook') {
    const fault = typeof item.secret === 'string' && item.secret !== 'generate' && signingSecretFault(item.secret)
    return fault ? { fault: `secret ${fault}` } : {}
  }
  const { cron, timezone = DEFAULT_TIMEZONE } = item
  return cron === undefined ? { fault: 'cron is needed for a schedule' } : checkCadence({ cron, timezone }, now)
}
