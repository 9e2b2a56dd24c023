import { memo } from 'react'
import { usePreferences } from '../stores/preferences.ts'
import { Hint } from '../ui/hint.tsx'
import { useClock, useNow, useServiceClock } from './clock.ts'
import { absoluteTime, countdown, duration, relativeTime, zonedTime } from './format.ts'

/**
 * The text of a time; the full time in local time and UTC on hover. `at` is ISO 8601. Most texts stay the same for many
 * ticks of the clock, and are not rendered again then.
 */
const Time = memo(({ at, children }: { readonly at: string; readonly children: string }) => (
  <Hint text={<BothTimes at={at} />}>
    <time dateTime={at} className="tabular whitespace-nowrap">
      {children}
    </time>
  </Hint>
))

const BothTimes = ({ at }: { readonly at: string }) => {
  const ms = Date.parse(at)
  return (
    <span className="tabular grid grid-cols-[auto_1fr] gap-x-2 font-mono">
      <span>local</span>
      <span>{absoluteTime(ms, 'local')}</span>
      <span>UTC</span>
      <span>{absoluteTime(ms, 'utc')}</span>
    </span>
  )
}

/** A time relative to now. */
export const Ago = ({ at }: { readonly at: string }) => <AgoAt at={at} now={useNow()} />

/** Like Ago, of a time that this machine's clock has told. */
export const ClockAgo = ({ at }: { readonly at: string }) => <AgoAt at={at} now={useClock()} />

const AgoAt = ({ at, now }: { readonly at: string; readonly now: number }) => (
  <Time at={at}>{relativeTime(Date.parse(at), now)}</Time>
)

/** A full time in the preferred display, with its zone: it may be printed, or be in a picture that is sent to others. */
export const At = ({ at }: { readonly at: string }) => {
  const display = usePreferences((preferences) => preferences.timeDisplay)
  return <Time at={at}>{zonedTime(Date.parse(at), display)}</Time>
}

/** The duration between two times, or until now. */
export const Elapsed = ({ from, to }: { readonly from: string; readonly to?: string | undefined }) => {
  const now = useNow()
  const ms = (to === undefined ? Math.max(now, Date.parse(from)) : Date.parse(to)) - Date.parse(from)
  return <span className="tabular whitespace-nowrap">{duration(ms)}</span>
}

/** Counts down to a time; `now` once it has come. */
export const Countdown = ({ to }: { readonly to: string }) => <CountdownAt to={to} now={useNow()} />

/** Like Countdown, but does not stop when the service does not answer. */
export const ClockCountdown = ({ to }: { readonly to: string }) => <CountdownAt to={to} now={useServiceClock()} />

const CountdownAt = ({ to, now }: { readonly to: string; readonly now: number }) => (
  <Time at={to}>{countdown(Date.parse(to) - now)}</Time>
)
