// A bounded number of places, for which keys take turns, and the parts of a key, so that who asks for many delays others by one or two
// and not by all.

import { afterRunning } from './after-running.ts'
import { createFairGroups } from './fair-groups.ts'

export type FairPlaces = {
  /**
   * Waits for a place, or for `count` of them, unless something ends the wait. Call the result once, at the end. What is
   * larger than all places, or all of a key, gets them all. `part`: of the key, by default the only one.
   */
  take(key: string, unless?: EndsWait, count?: number, part?: string): Promise<() => void>
  /** Takes places whether or not they are free: others wait until as many were given back. Call the result once. */
  occupy(key: string, count: number): () => void
  takenBy(key: string): number
  readonly waiting: number
  /** Whether whoever comes now waits, whatever its key. */
  readonly isFull: boolean
}

/** Called where somebody has to wait: may reject, and returns what is to be done once the wait has ended. */
export type EndsWait = (reject: (reason: Error) => void) => () => void

export const unlessLate =
  (limitMs: number, message: string): EndsWait =>
  (reject) =>
    afterRunning(limitMs, () => reject(new Error(message)))

export const unlessAborted =
  (signal: AbortSignal): EndsWait =>
  (reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    return () => signal.removeEventListener('abort', abort)
  }

/** Rejects with the reason when `signal` aborts before. What runs goes on. */
export const untilAborted = <Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> =>
  new Promise((resolve, reject) => {
    const endWait = unlessAborted(signal)(reject)
    work.then(resolve, reject).finally(endWait)
  })

export const unlessEither =
  (one: EndsWait, other: EndsWait): EndsWait =>
  (reject) => {
    const ends = [one(reject), other(reject)]
    return () => ends.forEach((end) => end())
  }

type Waiting = { readonly key: string; readonly part: string; readonly count: number; readonly go: () => void }

/**
 * `most` in all, and `mostOf` of one key at once, which may change from call to call. A key gets its first `sure` places whether or not they
 * are free.
 */
export const createFairPlaces = (most: number, mostOf: (key: string) => number, sure = 0): FairPlaces => {
  const queue = createFairGroups<Waiting>(({ key, part }) => ({ group: key, key: part }))
  /** It is its turn, and it waits until enough places are free, so that smaller ones do not overtake it for ever. */
  let next: Waiting | undefined
  /** By key; those that have none are left out. */
  const taken = new Map<string, number>()
  let free = most

  const mayTake = ({ key, count }: Pick<Waiting, 'key' | 'count'>): boolean => {
    const share = mostOf(key)
    return (taken.get(key) ?? 0) + Math.min(count, share) <= share
  }
  const hasRoom = ({ count }: Pick<Waiting, 'count'>): boolean => free >= Math.min(count, most)
  const isSure = ({ key, count }: Pick<Waiting, 'key' | 'count'>): boolean => (taken.get(key) ?? 0) + count <= sure

  const occupy = (key: string, count: number): (() => void) => {
    free -= count
    taken.set(key, (taken.get(key) ?? 0) + count)
    return () => giveBack(key, count)
  }

  const giveBack = (key: string, count: number): void => {
    const left = (taken.get(key) ?? count) - count
    if (left > 0) taken.set(key, left)
    else taken.delete(key)
    free += count
    admit()
  }

  const takeSure = (): Waiting | undefined => {
    if (next === undefined || !isSure(next)) {
      return queue.take({ first: (waiting) => waiting.key !== next?.key && isSure(waiting) })
    }
    const first = next
    next = undefined
    return first
  }

  /** More than one, where the number that a key may have has grown meanwhile. */
  const admit = (): void => {
    if (sure > 0) for (let one = takeSure(); one !== undefined; one = takeSure()) one.go()
    while (free > 0) {
      next ??= queue.take({ first: mayTake })
      if (next === undefined || !hasRoom(next)) return
      const { go } = next
      next = undefined
      go()
    }
  }

  const remove = (waiting: Waiting): boolean => {
    if (next === waiting) next = undefined
    else if (!queue.remove(waiting)) return false
    admit()
    return true
  }

  return {
    take: (key, unless, count = 1, part = '') => {
      // Whoever waits with the same key may need more places, and would wait for ever if smaller ones overtook it.
      const isFirst = next?.key !== key && !queue.has(key)
      const isFree = next === undefined && hasRoom({ count }) && mayTake({ key, count })
      if (isFirst && (isFree || isSure({ key, count }))) return Promise.resolve(occupy(key, count))
      return new Promise((resolve, reject) => {
        const go = (): void => {
          endWait?.()
          resolve(occupy(key, count))
        }
        const waiting = { key, part, count, go }
        queue.add(waiting)
        const endWait = unless?.((reason) => {
          if (!remove(waiting)) return
          reject(reason)
          queueMicrotask(() => endWait?.()) // it may reject before it has returned
        })
        admit()
      })
    },
    occupy,
    takenBy: (key) => taken.get(key) ?? 0,
    get waiting() {
      return queue.size + (next === undefined ? 0 : 1)
    },
    get isFull() {
      return free <= 0 || next !== undefined
    },
  }
}
