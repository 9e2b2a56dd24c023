// Formats times, durations, sizes and counts. Pure; the present time is an argument.

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** `just now`, `12 s ago`, `in 3 h`, `5 d ago`. */
export const relativeTime = (at: number, now: number): string => {
  const distance = Math.abs(now - at)
  if (distance < SECOND_MS) return 'just now'
  return at <= now ? `${coarse(distance)} ago` : `in ${coarse(distance)}`
}

const coarse = (durationMs: number): string => {
  if (durationMs < MINUTE_MS) return `${Math.floor(durationMs / SECOND_MS)} s`
  if (durationMs < HOUR_MS) return `${Math.floor(durationMs / MINUTE_MS)} min`
  if (durationMs < DAY_MS) return `${Math.floor(durationMs / HOUR_MS)} h`
  return `${Math.floor(durationMs / DAY_MS)} d`
}

/** Two units at most: `340 ms`, `1.2 s`, `3 min 4 s`, `2 d 5 h`. */
export const duration = (durationMs: number): string => {
  const ms = Math.max(0, durationMs)
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`
  if (ms < 10 * SECOND_MS) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`
  if (ms < HOUR_MS) return twoUnits(ms, MINUTE_MS, 'min', SECOND_MS, 's')
  if (ms < DAY_MS) return twoUnits(ms, HOUR_MS, 'h', MINUTE_MS, 'min')
  return twoUnits(ms, DAY_MS, 'd', HOUR_MS, 'h')
}

/** `now`, `in 4 s`, `in 3 min 4 s`: whole seconds, because clocks tick once a second. */
export const countdown = (restMs: number): string => {
  const seconds = Math.ceil(restMs / SECOND_MS)
  if (seconds <= 0) return 'now'
  return `in ${seconds < 60 ? `${seconds} s` : duration(seconds * SECOND_MS)}`
}

const twoUnits = (ms: number, large: number, largeName: string, small: number, smallName: string): string => {
  const rest = Math.floor((ms % large) / small)
  const head = `${Math.floor(ms / large)} ${largeName}`
  return rest === 0 ? head : `${head} ${rest} ${smallName}`
}

/** Binary units: `512 B`, `1.5 KiB`, `12 MiB`. */
export const bytes = (count: number): string => {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = count
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

const counts = new Intl.NumberFormat('en')
export const count = (value: number): string => counts.format(value)

/** `0%`, `< 0.1%`, `25.7%`: 0% and 100% only if it is exactly that. */
export const percent = (share: number): string => {
  if (share > 0 && share < 0.001) return '< 0.1%'
  if (share > 0.999 && share < 1) return '> 99.9%'
  return `${Number((share * 100).toFixed(1))}%`
}

/** `1 Execution`, `3 Executions`. */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

export type TimeDisplay = 'local' | 'utc'

const pad = (value: number, width = 2): string => String(value).padStart(width, '0')

/** `2026-11-20 18:03:07.123`, in local time or UTC. */
export const absoluteTime = (at: number, display: TimeDisplay): string => {
  const date = new Date(at)
  if (display === 'utc') return date.toISOString().replace('T', ' ').replace('Z', '')
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
  return `${day} ${time}.${pad(date.getMilliseconds(), 3)}`
}

/** As `absoluteTime`, with its distance from UTC: `2026-11-20 18:03:07.123 UTC+1`. */
export const zonedTime = (at: number, display: TimeDisplay): string => {
  const minutes = display === 'utc' ? 0 : -new Date(at).getTimezoneOffset()
  const distance = Math.abs(minutes)
  const hours = `${minutes < 0 ? '-' : '+'}${Math.floor(distance / 60)}`
  const rest = distance % 60 === 0 ? '' : `:${pad(distance % 60)}`
  return `${absoluteTime(at, display)} UTC${minutes === 0 ? '' : hours + rest}`
}

/** `18:03:07`, in local time or UTC. */
export const clockTime = (at: number, display: TimeDisplay): string => absoluteTime(at, display).slice(11, 19)

/** Local time and UTC, for a `title`. */
export const bothTimes = (at: number): string => `${absoluteTime(at, 'local')} local\n${absoluteTime(at, 'utc')} UTC`
