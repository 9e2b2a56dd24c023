// A bounded number of places, for which keys take turns, so that a key that asks for many delays another one by one or two
// and not by all.

import { createFairQueue } from './fair-queue.ts'

export type FairPlaces = {
  /** Waits for a place, unless something ends the wait. Call the result once, at the end. */
  take(key: string, unless?: EndsWait): Promise<() => void>
  readonly waiting: number
}

/** Called where somebody has to wait: may reject, and returns what is to be done once there is a place. */
type EndsWait = (reject: (reason: Error) => void) => () => void

export const unlessLate =
  (limitMs: number, message: string): EndsWait =>
  (reject) => {
    const late = setTimeout(() => reject(new Error(message)), limitMs)
    return () => clearTimeout(late)
  }

export const unlessAborted =
  (signal: AbortSignal): EndsWait =>
  (reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    return () => signal.removeEventListener('abort', abort)
  }

/** `most` in all, and `mostOf` of one key at once, which may change from call to call. */
export const createFairPlaces = (most: number, mostOf: (key: string) => number): FairPlaces => {
  const queue = createFairQueue<() => void>()
  /** By key; those that have none are left out. */
  const taken = new Map<string, number>()
  let free = most

  const hasRoom = (key: string): boolean => (taken.get(key) ?? 0) < mostOf(key)

  const occupy = (key: string): (() => void) => {
    free -= 1
    taken.set(key, (taken.get(key) ?? 0) + 1)
    return () => giveBack(key)
  }

  const giveBack = (key: string): void => {
    const left = (taken.get(key) ?? 1) - 1
    if (left > 0) taken.set(key, left)
    else taken.delete(key)
    free += 1
    admit()
  }

  /** More than one, where the number that a key may have has grown meanwhile. */
  const admit = (): void => {
    while (free > 0) {
      const go = queue.take(hasRoom)
      if (go === undefined) return
      go()
    }
  }

  return {
    take: (key, unless) => {
      if (free > 0 && hasRoom(key)) return Promise.resolve(occupy(key))
      return new Promise((resolve, reject) => {
        const go = (): void => {
          endWait?.()
          resolve(occupy(key))
        }
        queue.add(key, go)
        const endWait = unless?.((reason) => {
          if (queue.remove(key, go)) reject(reason)
        })
      })
    },
    get waiting() {
      return queue.size
    },
  }
}
