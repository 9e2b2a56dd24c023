// One timer for everything that waits for the clock. The due times themselves lie in the store, indexed; parked
// Executions cost nothing here. Due means due by the wall clock, so that a machine that slept catches up.

import type { Cancel, Clock } from '../shared/clock.ts'
import type { DueMark, ExecutionStore } from '../store/store.ts'

/** The clock may jump, or the machine sleep, without a word: look at least this often. */
const LONGEST_WAIT_MS = 30_000
const PAGE = 500

export type WakeUps = {
  /** Something is due then that a look at the store must find. */
  arm(dueAt: number): void
  /** Looks now: after a start, after the machine slept. */
  look(): void
  stop(): void
}

export const createWakeUps = (deps: {
  readonly executions: Pick<ExecutionStore, 'due' | 'nextDueAt'>
  readonly clock: Clock
  readonly onDue: (key: number) => void
}): WakeUps => {
  const { executions, clock, onDue } = deps
  /** Everything due up to here was handed on; what is due later, or armed since, was not. */
  let seenUntil = 0
  let timer: { readonly at: number; readonly cancel: Cancel } | undefined
  let looking = false
  let stopped = false

  const setTimer = (at: number): void => {
    if (stopped || (timer !== undefined && timer.at <= at)) return
    timer?.cancel()
    timer = { at, cancel: clock.after(at - clock.now(), look) }
  }

  const look = (): void => {
    timer?.cancel()
    timer = undefined
    if (stopped || looking) return
    looking = true
    const after = { dueAt: seenUntil, key: Number.MAX_SAFE_INTEGER, command: Number.MAX_SAFE_INTEGER }
    seenUntil = clock.now()
    page(after, seenUntil)
  }

  /** A page at a time, so that a thousand alarms at once leave the event loop to others in between. */
  const page = (after: DueMark, until: number): void => {
    if (stopped) return
    const marks = executions.due(after, until, PAGE)
    const last = marks.at(-1)
    if (last !== undefined && marks.length === PAGE) clock.after(0, () => page(last, until))
    else {
      looking = false
      const next = executions.nextDueAt(seenUntil) ?? Infinity
      setTimer(Math.min(next, clock.now() + LONGEST_WAIT_MS))
    }
    for (const key of new Set(marks.map((mark) => mark.key))) onDue(key)
  }

  return {
    arm: (dueAt) => {
      seenUntil = Math.min(seenUntil, dueAt - 1)
      setTimer(Math.min(dueAt, clock.now() + LONGEST_WAIT_MS))
    },
    look,
    stop: () => {
      stopped = true
      timer?.cancel()
    },
  }
}
