// Runs an attempt that may have killed the runtime while no other attempt runs, so that another death is hardly the doing of
// others. It waits for the others, and they wait for it, much shorter: whatever it does, they must go on.

import type { Cancel, Clock } from '../shared/clock.ts'

export type AloneGate = {
  /** Calls `perform` once the attempt may run. */
  run<Result>(isAlone: boolean, perform: () => Promise<Result>): Promise<Result>
}

type Waiting = { readonly begin: () => void; readonly callOff: Cancel; isOverdue: boolean }

/** After that it runs beside others that have not ended. */
const WAITS_MS = 10_000
/** How long others may not begin, whether the attempts to run alone wait for the last of them to end, or run one by one. */
const OTHERS_WAIT_MS = 1_000
/** How long others may begin before they have to wait once more. */
const PAUSE_MS = 2_000

export const createAloneGate = (clock: Clock): AloneGate => {
  /** Attempts that have begun and not ended. */
  let count = 0
  /** The attempt that others wait for. */
  let alone: Waiting | undefined
  let callOffHold: Cancel | undefined
  let callOffPause: Cancel | undefined
  const others: (() => void)[] = []
  const queue: Waiting[] = []

  /** What may follow from any change. */
  const next = (): void => {
    const first = queue[0]
    if (callOffHold === undefined) {
      // Nobody runs, so it delays nobody and need not wait for the pause to end.
      if (first !== undefined && (callOffPause === undefined || count === 0)) hold()
      return
    }
    if (alone !== undefined) return
    if (first === undefined) release()
    else if (count === 0 || first.isOverdue) beginAlone()
  }
  const beginAlone = (): void => {
    alone = queue.shift()!
    alone.callOff()
    count += 1
    alone.begin()
  }
  const hold = (): void => {
    callOffPause?.()
    callOffPause = undefined
    callOffHold = clock.after(OTHERS_WAIT_MS, release)
    next()
  }
  const release = (): void => {
    callOffHold?.()
    callOffHold = undefined
    alone = undefined
    count += others.length
    for (const begin of others.splice(0)) begin()
    callOffPause = clock.after(PAUSE_MS, () => {
      callOffPause = undefined
      next()
    })
  }
  const enterAlone = (): Promise<Waiting> =>
    new Promise((resolve) => {
      const tooLong = (): void => {
        waiting.isOverdue = true
        next()
      }
      const waiting: Waiting = {
        begin: () => resolve(waiting),
        callOff: clock.after(WAITS_MS, tooLong),
        isOverdue: false,
      }
      queue.push(waiting)
      next()
    })

  return {
    run: async (isAlone, perform) => {
      const mine = isAlone ? await enterAlone() : undefined
      if (!isAlone) {
        if (callOffHold === undefined) count += 1
        else await new Promise<void>((resolve) => others.push(resolve))
      }
      try {
        return await perform()
      } finally {
        count -= 1
        if (mine !== undefined && mine === alone) alone = undefined
        next()
      }
    },
  }
}
