import { usePreferences } from '../stores/preferences.ts'
import { Hint } from '../ui/hint.tsx'
import { useClock, useNow, useServiceClock } from './clock.ts'
import { absoluteTime, countdown, duration, relativeTime } from './format.ts'

/** A time in local time and UTC. */
const BothTimes = ({ at }: { readonly at: number }) => (
  <span className="tabular grid grid-cols-[auto_1fr] gap-x-2 font-mono">
    <span>local</span>
    <span>{absoluteTime(at, 'local')}</span>
    <span>UTC</span>
    <span>{absoluteTime(at, 'utc')}</span>
  </span>
)

/** A time relative to now; the full time on hover. `at` is ISO 8601. */
export const Ago = ({ at }: { readonly at: string }) => <AgoAt at={at} now={useNow()} />

/** Like Ago, of a time that this machine's clock has told. */
export const ClockAgo = ({ at }: { readonly at: string }) => <AgoAt at={at} now={useClock()} />

const AgoAt = ({ at, now }: { readonly at: string; readonly now: number }) => {
  const ms = Date.parse(at)
  return (
    <Hint text={<BothTimes at={ms} />}>
      <time dateTime={at} className="tabular whitespace-nowrap">
        {relativeTime(ms, now)}
      </time>
    </Hint>
  )
}

/** A full time in the preferred display. `at` is ISO 8601. */
export const At = ({ at }: { readonly at: string }) => {
  const display = usePreferences((preferences) => preferences.timeDisplay)
  const ms = Date.parse(at)
  return (
    <Hint text={<BothTimes at={ms} />}>
      <time dateTime={at} className="tabular whitespace-nowrap">
        {absoluteTime(ms, display)}
      </time>
    </Hint>
  )
}

/** The duration between two times, or until now. */
export const Elapsed = ({ from, to }: { readonly from: string; readonly to?: string | undefined }) => {
  const now = useNow()
  const ms = (to === undefined ? Math.max(now, Date.parse(from)) : Date.parse(to)) - Date.parse(from)
  return <span className="tabular whitespace-nowrap">{duration(ms)}</span>
}

/** Counts down to a time; `now` once it has come. The full time on hover. `to` is ISO 8601. */
export const Countdown = ({ to }: { readonly to: string }) => <CountdownAt to={to} now={useNow()} />

/** Like Countdown, but does not stop when the service does not answer. */
export const ClockCountdown = ({ to }: { readonly to: string }) => <CountdownAt to={to} now={useServiceClock()} />

const CountdownAt = ({ to, now }: { readonly to: string; readonly now: number }) => {
  const ms = Date.parse(to)
  return (
    <Hint text={<BothTimes at={ms} />}>
      <time dateTime={to} className="tabular whitespace-nowrap">
        {countdown(ms - now)}
      </time>
    </Hint>
  )
}
