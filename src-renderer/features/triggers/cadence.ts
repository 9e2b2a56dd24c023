// When a schedule fires, as the service reads its cron expression. Pure; the service decides.

import { Cron } from 'croner'

export type Cadence = { readonly cron: string; readonly timezone: string }

export const DEFAULT_TIMEZONE = 'UTC'

const LONGEST_CRON = 200

/** What is wrong with it; undefined when nothing is. `now` in ms since the epoch. */
export const cadenceFault = ({ cron, timezone }: Cadence, now: number): string | undefined => {
  if (cron.trim() === '') return 'Enter a cron expression, such as 0 9 * * MON-FRI'
  if (cron.length > LONGEST_CRON) return `At most ${LONGEST_CRON} characters`
  const fields = fieldsOf(cron)
  if (fields.length !== 5 && fields.length !== 6) {
    return `It must have five fields (minute, hour, day, month, weekday), or six with seconds in front; it has ${fields.length}`
  }
  try {
    return nextTimes({ cron, timezone }, now, 1).length === 0 ? 'It never fires' : undefined
  } catch (error) {
    return error instanceof Error ? reasonOf(error) : String(error)
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

/** The next times after `after`, all in ms since the epoch. Throws for what cannot be read. */
export const nextTimes = ({ cron, timezone }: Cadence, after: number, count: number): readonly number[] =>
  new Cron(fieldsOf(cron).join(' '), { timezone, mode: '5-or-6-parts', paused: true })
    .nextRuns(count, new Date(after))
    .map((time) => time.getTime())

const fieldsOf = (cron: string): readonly string[] => cron.trim().split(/\s+/)

/** All zones of this browser, with UTC and the user's own first. `chosen` may be one that the browser does not list. */
export const timeZones = (chosen: string, own: string): readonly string[] => [
  ...new Set([DEFAULT_TIMEZONE, own, chosen, ...Intl.supportedValuesOf('timeZone')]),
]

/** `Mon, 23 Nov 2026, 09:00:00 GMT+1`. */
export const zonedTime = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'shortOffset',
  })
    .format(at)
    // How UTC is written differs between browsers.
    .replace(/(?:GMT(?:\+0)?|UTC)$/, 'UTC')
