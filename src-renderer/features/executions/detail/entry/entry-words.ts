// Labels of history entries. The type itself is always shown, too.

import type { HistoryEntryType } from '#sdk/index.ts'
import { absoluteTime, duration, type TimeDisplay } from '../../../../parts/format.ts'
import type { Tone } from '../../../../ui/badge.tsx'

const TONES: Readonly<Record<HistoryEntryType, Tone>> = {
  execution_started: 'neutral',
  effect_scheduled: 'running',
  effect_attempt_failed: 'failed',
  effect_completed: 'completed',
  effect_failed: 'failed',
  timer_scheduled: 'waiting',
  timer_fired: 'completed',
  wait_scheduled: 'waiting',
  wait_timed_out: 'cancelled',
  event_received: 'running',
  event_delivered: 'completed',
  log: 'neutral',
  cancel_requested: 'cancelled',
  execution_completed: 'completed',
  execution_failed: 'failed',
  execution_cancelled: 'cancelled',
}

export const toneOfEntry = (type: HistoryEntryType): Tone => TONES[type]

/** `+1.2 s`: the time since the first entry. */
export const sinceStart = (at: number, start: number): string => {
  const ms = Math.max(0, at - start)
  if (ms < 1_000) return `+${Math.round(ms)} ms`
  return ms < 60_000 ? `+${(ms / 1_000).toFixed(3)} s` : `+${duration(ms)}`
}

/** `18:03:07.123`; with the date when it is not the day of the start. */
export const clockTime = (at: number, start: number, display: TimeDisplay): string => {
  const [day, time] = absoluteTime(at, display).split(' ') as [string, string]
  return absoluteTime(start, display).startsWith(day) ? time : `${day.slice(5)} ${time}`
}
