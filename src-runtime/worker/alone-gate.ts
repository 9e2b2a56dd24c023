// Runs an attempt that may have killed the runtime while no other attempt runs, so that another death is hardly the doing of
// others. It waits for the others, and they wait for it, much shorter: whatever it does, they must go on.

import type { Cancel, Clock } from '../shared/clock.ts'

export type AloneGate = {
  /** Calls `perform` once the attempt may run. */
  run<Result>(isAlone: boolean, perform: () => Promise<Result>): Promise<Result>
}

const WAITS_MS = 10_000
const OTHERS_WAIT_MS = 1_000
/** How long others may begin before the next one makes them wait. */
const PAUSE_MS = 2_000

export const createAloneGate = (clock: Clock): AloneGate => {
  /** Attempts that have begun and not ended. */
  let count = 0
  /** An attempt runs alone; others wait. */
  let isHeld = false
  let callOffPause: Cancel | undefined
  const others: (() => void)[] = []
  const queue: { readonly begin: () => void; readonly callOff: Cancel; isOverdue: boolean }[] = []

  const next = (): void => {
    if (!isHeld && count === 0) beginNextAlone()
  }
  const beginNextAlone = (): void => {
    const waiting = queue.shift()
    if (waiting === undefined) return
    waiting.callOff()
    isHeld = true
    count += 1
    waiting.begin()
  }
  const beginOverdue = (): void => {
    if (!isHeld && callOffPause === undefined && queue[0]?.isOverdue === true) beginNextAlone()
  }
  const release = (): void => {
    isHeld = false
    count += others.length
    for (const begin of others.splice(0)) begin()
    callOffPause?.()
    callOffPause = clock.after(PAUSE_MS, () => {
      callOffPause = undefined
      beginOverdue()
    })
  }
  const enterAlone = (): Promise<void> =>
    new Promise((resolve) => {
      const tooLong = (): void => {
        waiting.isOverdue = true
        beginOverdue()
      }
      const waiting = { begin: resolve, callOff: clock.after(WAITS_MS, tooLong), isOverdue: false }
      queue.push(waiting)
      next()
    })

  return {
    run: async (isAlone, perform) => {
      if (isAlone) await enterAlone()
      else if (isHeld) await new Promise<void>((resolve) => others.push(resolve))
      else count += 1
      let isReleased = false
      const releaseOnce = (): void => {
        if (isReleased) return
        isReleased = true
        release()
      }
      const callOff = isAlone ? clock.after(OTHERS_WAIT_MS, releaseOnce) : undefined
      try {
        return await perform()
      } finally {
        count -= 1
        callOff?.()
        if (isAlone) releaseOnce()
        next()
      }
    },
  }
}
