import { usePreferences } from '../stores/preferences.ts'
import { Hint } from '../ui/hint.tsx'
import { useClock, useNow } from './clock.ts'
import { absoluteTime, duration, relativeTime } from './format.ts'

/** Both readings of a moment. */
const BothTimes = ({ at }: { readonly at: number }) => (
  <span className="tabular grid grid-cols-[auto_1fr] gap-x-2 font-mono">
    <span>local</span>
    <span>{absoluteTime(at, 'local')}</span>
    <span>UTC</span>
    <span>{absoluteTime(at, 'utc')}</span>
  </span>
)

/** A moment relative to now; in full on hover. `at` is ISO 8601. */
export const Ago = ({ at }: { readonly at: string }) => {
  const now = useNow()
  const ms = Date.parse(at)
  return (
    <Hint text={<BothTimes at={ms} />}>
      <time dateTime={at} className="tabular whitespace-nowrap">
        {relativeTime(ms, now)}
      </time>
    </Hint>
  )
}

/** A moment in full, in the preferred display. `at` is ISO 8601. */
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

/** From one moment to another, or growing until now. */
export const Elapsed = ({ from, to }: { readonly from: string; readonly to?: string | undefined }) => {
  const now = useNow()
  const ms = (to === undefined ? Math.max(now, Date.parse(from)) : Date.parse(to)) - Date.parse(from)
  return <span className="tabular whitespace-nowrap">{duration(ms)}</span>
}

/** Counts down to a moment; `now` once it has come. In full on hover. `to` is ISO 8601. */
export const Countdown = ({ to }: { readonly to: string }) => <CountdownAt to={to} now={useNow()} />

/** Of something that comes whether the service answers or not. */
export const ClockCountdown = ({ to }: { readonly to: string }) => <CountdownAt to={to} now={useClock()} />

const CountdownAt = ({ to, now }: { readonly to: string; readonly now: number }) => {
  const ms = Date.parse(to)
  return (
    <Hint text={<BothTimes at={ms} />}>
      <time dateTime={to} className="tabular whitespace-nowrap">
        {ms <= now ? 'now' : `in ${duration(ms - now)}`}
      </time>
    </Hint>
  )
}
