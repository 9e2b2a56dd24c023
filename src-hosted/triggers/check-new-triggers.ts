// Whether a list of Triggers may replace another one, as far as the list alone can tell.

import { textFault } from '../../src-runtime/contract/check-name.ts'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import type { NewTrigger, NewTriggers } from '../../src-runtime/contract/trigger-models.ts'
import { cadenceFault } from './cron.ts'

export const DEFAULT_TIMEZONE = 'UTC'

/** Of a list, or of an object that holds it. */
export const itemsOf = (body: NewTriggers): readonly NewTrigger[] => ('triggers' in body ? body.triggers : body)

/** Names the item that is wrong, as faults of schemas do: `body/triggers/3/cron …`. */
export const placeOf = (body: NewTriggers, index: number): string =>
  'triggers' in body ? `body/triggers/${index}` : `body/${index}`

export const checkNewTriggers = (body: NewTriggers, now: number): void => {
  const ids = new Set<string>()
  for (const [index, item] of itemsOf(body).entries()) {
    const fault = faultOf(item, now) ?? (item.id !== undefined && ids.has(item.id) ? 'id is there twice' : undefined)
    if (fault !== undefined) throw new ApiError('invalid_request', `${placeOf(body, index)}/${fault}`)
    if (item.id !== undefined) ids.add(item.id)
  }
}

const ONLY: Readonly<Record<NewTrigger['type'], readonly (keyof NewTrigger)[]>> = {
  webhook: ['secret'],
  schedule: ['cron', 'timezone', 'input'],
}

const faultOf = (item: NewTrigger, now: number): string | undefined => {
  const other = item.type === 'webhook' ? 'schedule' : 'webhook'
  const foreign = ONLY[other].find((name) => Object.hasOwn(item, name))
  if (foreign !== undefined) return `${foreign} belongs to a ${other}, and this is a ${item.type}`
  const unreadable = item.name === undefined ? undefined : textFault(item.name)
  if (unreadable !== undefined) return `name ${unreadable}`
  if (item.type === 'webhook') return undefined
  const { cron, timezone = DEFAULT_TIMEZONE } = item
  return cron === undefined ? 'cron is needed for a schedule' : cadenceFault({ cron, timezone }, now)
}
