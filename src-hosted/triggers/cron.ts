// When a schedule fires: five or six fields in a time zone, with daylight saving as `croner` has it.

import { Cron } from 'croner'
import { beginningOf } from '../../src-runtime/shared/beginning-of.ts'

export type Cadence = { readonly cron: string; readonly timezone: string }

const LONGEST_CRON = 200

/** What is wrong with it, or else the first time, in ms since the epoch. */
export type CheckedCadence = { readonly fault?: string; readonly next?: number }

export const checkCadence = (cadence: Cadence, now: number): CheckedCadence => {
  const { cron, timezone } = cadence
  if (cron.length > LONGEST_CRON) return { fault: `cron must not be longer than ${LONGEST_CRON} characters` }
  if (!isTimeZone(timezone)) return { fault: `timezone ${JSON.stringify(timezone)} is not an IANA time zone` }
  try {
    const next = nextAfter(cadence, now)
    return next === undefined ? { fault: `cron ${JSON.stringify(cron)} never fires` } : { next }
  } catch (error) {
    const reason = error instanceof Error ? reasonOf(error) : String(error)
    return { fault: `cron ${JSON.stringify(cron)} cannot be read: ${beginningOf(reason, 200)}` }
  }
}

/** `croner` counts days and months from 0 in its messages. */
const reasonOf = ({ message }: Error): string =>
  message
    .replace(/^\w+: /, '')
    .replace(
      /^(Invalid value for) (day|nearestWeekdays|month): (-?\d+)/,
      (_, said: string, part: string, value: string) =>
        `${said} ${part === 'month' ? 'month' : 'day'}: ${Number(value) + 1}`,
    )

/** The first time after `after`, both in ms since the epoch; undefined when there is none. */
export const nextAfter = ({ cron, timezone }: Cadence, after: number): number | undefined =>
  new Cron(fieldsOf(cron), { timezone, mode: '5-or-6-parts', paused: true }).nextRun(new Date(after))?.getTime()

/** `croner` also reads names such as `@daily`, and single times. */
const fieldsOf = (cron: string): string => {
  const fields = cron.trim().split(/\s+/)
  if (fields.length !== 5 && fields.length !== 6) throw new TypeError('it must have five or six fields')
  return fields.join(' ')
}

const isTimeZone = (timezone: string): boolean => {
  if (!/^[A-Za-z]/.test(timezone)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** A time that was missed by more than this is not made up. */
const MADE_UP_MS = 3_600_000

export const isTooLate = (at: number, now: number): boolean => now - at >= MADE_UP_MS

/** The next time that will fire once `at` is done with: times that were missed by too much are left out. */
export const nextToFire = (cadence: Cadence, at: number, now: number): number | undefined =>
  nextAfter(cadence, Math.max(at, now - MADE_UP_MS))
