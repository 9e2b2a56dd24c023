// Lets an attempt run alone that may have killed the runtime: nothing else is under way meanwhile, so that a death
// is surely its own. Nobody waits longer than a limit for it, and it waits no longer for the others.

import type { Cancel, Clock } from '../shared/clock.ts'

export type AloneGate = {
  /** Performs when it may. */
  run<Result>(isAlone: boolean, perform: () => Promise<Result>): Promise<Result>
}

const LIMIT_MS = 10_000

export const createAloneGate = (clock: Clock): AloneGate => {
  /** Attempts that were let in and have not ended. */
  let count = 0
  /** An attempt runs alone; others wait. */
  let isHeld = false
  const others: (() => void)[] = []
  const suspects: { readonly begin: () => void; readonly callOff: Cancel }[] = []

  const next = (): void => {
    if (!isHeld && count === 0) beginSuspect()
  }
  const beginSuspect = (): void => {
    const suspect = suspects.shift()
    if (suspect === undefined) return
    suspect.callOff()
    isHeld = true
    count += 1
    suspect.begin()
  }
  const release = (): void => {
    isHeld = false
    count += others.length
    for (const begin of others.splice(0)) begin()
  }
  const enterAlone = (): Promise<void> =>
    new Promise((resolve) => {
      const tooLong = (): void => {
        if (isHeld) return void (suspect.callOff = clock.after(LIMIT_MS, tooLong))
        suspects.splice(suspects.indexOf(suspect), 1)
        suspects.unshift(suspect)
        beginSuspect()
      }
      const suspect = { begin: resolve, callOff: clock.after(LIMIT_MS, tooLong) }
      suspects.push(suspect)
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
      const callOff = isAlone ? clock.after(LIMIT_MS, releaseOnce) : undefined
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
