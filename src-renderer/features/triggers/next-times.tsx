import { useMemo } from 'react'
import { useServiceClock } from '../../parts/clock.ts'
import { MINUTE_MS } from '../../parts/format.ts'
import { wordsOfCron } from './cadence-words.ts'
import { type Cadence, cadenceFault, nextTimes, zonedTime } from './cadence.ts'

const SHOWN = 5

/** Of the browser. */
export const OWN_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** What a schedule means: in words where there are exact ones, and its next times, in its zone and in the user's. */
export const NextTimes = ({ cron, timezone }: Cadence) => {
  const now = useServiceClock()
  // Each second only for schedules with seconds.
  const after = cron.trim().split(/\s+/).length === 6 ? now : now - (now % MINUTE_MS)
  const times = useMemo(
    () => (cadenceFault({ cron, timezone }, after) === undefined ? nextTimes({ cron, timezone }, after, SHOWN) : []),
    [cron, timezone, after],
  )
  if (times.length === 0) return null
  const words = wordsOfCron(cron)
  const isOwn = timezone === OWN_ZONE
  return (
    <section aria-label="Next times" className="rounded-md border border-line bg-sunken px-3 py-2">
      {words !== undefined && <p className="mb-1.5 font-medium">{words}</p>}
      <div className="overflow-x-auto">
        <table aria-label="Next times" className="tabular text-xs whitespace-nowrap">
          <thead>
            <tr className="text-left text-faint">
              <th scope="col" className="pr-6 font-medium max-sm:block">
                {timezone}
              </th>
              {!isOwn && (
                <th scope="col" className="font-medium max-sm:block">
                  Your time ({OWN_ZONE})
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {times.map((at) => (
              <tr key={at}>
                <td className="pr-6 max-sm:block">{zonedTime(at, timezone)}</td>
                {!isOwn && <td className="text-soft max-sm:block max-sm:pb-1.5">{zonedTime(at, OWN_ZONE)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
