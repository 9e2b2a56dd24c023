// Runs an attempt that may have killed the runtime while no other attempt runs, so that another death is hardly the doing of
// others. It waits for the others, and they wait for it, much shorter: whatever it does, they must go on. Of many, a few run together.

import type { Cancel, Clock } from '../shared/clock.ts'

export type AloneGate = {
  /** Calls `perform` once the attempt may run, or is aborted: then it only has to end. */
  run<Result>(isAlone: boolean, signal: AbortSignal, perform: () => Promise<Result>): Promise<Result>
}

type Waiting = { readonly begin: () => void; isOverdue: boolean }

/** After that it runs beside others that have not ended. */
const WAITS_MS = 10_000
/** How long others may not begin, whether the attempts to run alone wait for the last of them to end, or run one by one. */
const OTHERS_WAIT_MS = 1_000
/** How long others may begin before they have to wait once more. */
const PAUSE_MS = 1_000

/** `mostTogether`: how many may run together after so many have begun; at least one. */
export const createAloneGate = (clock: Clock, mostTogether = (_begunBefore: number): number => 1): AloneGate => {
  /** Attempts that have begun and not ended. */
  let count = 0
  /** The attempts that others wait for. */
  const alone = new Set<Waiting>()
  /** How many to run alone have begun. */
  let begun = 0
  let callOffHold: Cancel | undefined
  let callOffPause: Cancel | undefined
  const others = new Set<Waiting>()
  const queue = new Set<Waiting>()

  /** What may follow from any change. */
  const next = (): void => {
    const [first] = queue
    if (callOffHold === undefined) {
      // Nobody runs, so it delays nobody and need not wait for the pause to end.
      if (first !== undefined && (callOffPause === undefined || count === 0)) hold()
      return
    }
    if (alone.size > 0) return
    if (first === undefined) release()
    else if (count === 0 || first.isOverdue) {
      for (const waiting of [...queue].slice(0, Math.max(1, mostTogether(begun)))) {
        begun += 1
        alone.add(waiting)
        waiting.begin()
      }
    }
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
    alone.clear()
    for (const { begin } of others) begin()
    callOffPause = clock.after(PAUSE_MS, () => {
      callOffPause = undefined
      next()
    })
  }
  const enter = (isAlone: boolean, signal: AbortSignal): Promise<Waiting> =>
    new Promise((resolve) => {
      const line = isAlone ? queue : others
      const begin = (): void => {
        line.delete(waiting)
        callOff?.()
        signal.removeEventListener('abort', begin)
        count += 1
        resolve(waiting)
      }
      const tooLong = (): void => {
        waiting.isOverdue = true
        next()
      }
      const waiting: Waiting = { begin, isOverdue: false }
      const callOff = isAlone ? clock.after(WAITS_MS, tooLong) : undefined
      signal.addEventListener('abort', begin)
      line.add(waiting)
      next()
    })

  return {
    run: async (isAlone, signal, perform) => {
      const mustWait = (isAlone || callOffHold !== undefined) && !signal.aborted
      const waited = mustWait ? await enter(isAlone, signal) : undefined
      if (waited === undefined) count += 1
      try {
        return await perform()
      } finally {
        count -= 1
        if (waited !== undefined) alone.delete(waited)
        next()
      }
    },
  }
}
