// One timer for everything that waits for a time. The due times are indexed in the store, so parked Executions cost no
// memory here. They are wall-clock times, which system timers do not follow when the clock jumps or the machine sleeps;
// so while anything will be due, the wall clock is compared with the monotonic clock every second.

import type { Cancel, Clock } from '../shared/clock.ts'
import { pausesTooLong } from '../engine/effect-attempts.ts'
import type { CommandMark, DueMark, ExecutionStore } from '../store/store.ts'
import { RETRY_AFTER_MS } from './faults.ts'

const COMPARE_EVERY_MS = 1_000
/** Smaller clock corrections are noticed when the timer fires. */
const JUMP_MS = 100
/** Not what a clock drifts in hours. */
const SET_BACK_MS = 1_000
const PAGE = 500
const BEFORE_ALL: CommandMark = { key: 0, command: 0 }
/** What becomes due while thousands of overdue timers are worked off does not wait for them. */
const MOST_LOOKS = 4

export type WakeUps = {
  /** Checks the store at `dueAt`. */
  arm(dueAt: number): void
  /** Checks the store for the first time. The clock may have been set back while no runtime ran. */
  start(): void
  /** Checks the store now: after the machine slept. */
  look(): void
  stop(): void
}

export const createWakeUps = (deps: {
  readonly executions: Pick<ExecutionStore, 'due' | 'nextDueAt' | 'retries'>
  readonly clock: Clock
  readonly onDue: (key: number) => void
  readonly onError: (error: unknown) => void
}): WakeUps => {
  const { executions, clock, onDue, onError } = deps
  /** Everything due up to here was handled, except what was armed since. A Program may sleep until before 1970. */
  let seenUntil = -Infinity
  /** `at` is when something is due; the timer may fire earlier. */
  let timer: { readonly at: number; readonly cancel: Cancel } | undefined
  let looks = 0
  let stopped = false

  const wallAhead = (): number => clock.now() - clock.monotonic()
  let knownAhead = wallAhead()
  const hasJumped = (): boolean => Math.abs(wallAhead() - knownAhead) > JUMP_MS

  const setTimer = (at: number): void => {
    if (stopped || at === Infinity || (timer !== undefined && timer.at <= at)) return
    timer?.cancel()
    timer = { at, cancel: clock.after(Math.min(at - clock.now(), COMPARE_EVERY_MS), onTimer) }
  }

  const onTimer = (): void => {
    const at = timer?.at ?? Infinity
    timer = undefined
    if (hasJumped() || clock.now() >= at) look()
    else setTimer(at)
  }

  const look = (): void => {
    timer?.cancel()
    timer = undefined
    if (stopped || looks === MOST_LOOKS) return
    looks += 1
    const wasSetBack = knownAhead - wallAhead() > SET_BACK_MS
    knownAhead = wallAhead()
    const now = clock.now()
    const dueAt = Math.min(seenUntil, now)
    seenUntil = now
    page({ dueAt, key: Number.MAX_SAFE_INTEGER, command: Number.MAX_SAFE_INTEGER }, now)
    if (wasSetBack) endLongPauses(BEFORE_ALL)
  }

  const endLongPauses = (after: CommandMark): void => {
    if (stopped) return
    try {
      const now = clock.now()
      const { effects, next } = executions.retries(after, PAGE)
      for (const { key, effect } of effects) if (pausesTooLong(effect, now)) onDue(key)
      if (next !== undefined) clock.after(0, () => endLongPauses(next))
    } catch (error) {
      onError(error)
      clock.after(RETRY_AFTER_MS, () => endLongPauses(after))
    }
  }

  /** Works a page at a time, so that other work runs in between when a thousand timers are due at once. */
  const page = (after: DueMark, until: number): void => {
    if (stopped) return
    let marks: readonly DueMark[]
    try {
      marks = executions.due(after, until, PAGE)
      const nextAt = executions.nextDueAt(seenUntil) ?? Infinity
      const last = marks.at(-1)
      if (last !== undefined && marks.length === PAGE) clock.after(0, () => page(last, until))
      else looks -= 1
      setTimer(nextAt)
    } catch (error) {
      onError(error)
      looks -= 1
      // The next page may begin with more that became due in the same millisecond.
      seenUntil = Math.min(seenUntil, after.dueAt - 1)
      clock.after(RETRY_AFTER_MS, look)
      return
    }
    for (const key of new Set(marks.map((mark) => mark.key))) onDue(key)
  }

  return {
    arm: (dueAt) => {
      seenUntil = Math.min(seenUntil, dueAt - 1)
      if (hasJumped()) look()
      else setTimer(dueAt)
    },
    start: () => {
      look()
      endLongPauses(BEFORE_ALL)
    },
    look,
    stop: () => {
      stopped = true
      timer?.cancel()
    },
  }
}
