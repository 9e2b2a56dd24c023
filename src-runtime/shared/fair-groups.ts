// A queue in which groups take turns, and the keys of each group. So neither many items of a key nor many keys of a group delay those of
// another one.

import { createFairQueue, type FairQueue } from './fair-queue.ts'

export type FairGroups<Item> = {
  readonly size: number
  has(group: string): boolean
  add(item: Item): void
  /** Whether it was still waiting. */
  remove(item: Item): boolean
  /** The next item that `may` accepts; by default any. */
  take(may?: MayTake<Item>): Item | undefined
  /** Whether `take` would return one. */
  canTake(may: MayTake<Item>): boolean
  /** All items, or those of a group. */
  takeAll(group?: string): readonly Item[]
}

export type MayTake<Item> = {
  /** Asked once for each group; by default any. */
  readonly ofGroup?: (group: string) => boolean
  /** Asked for the first item of each key. */
  readonly first: (item: Item) => boolean
}

export const createFairGroups = <Item>(
  placeOf: (item: Item) => { readonly group: string; readonly key: string },
): FairGroups<Item> => {
  /** The next one first. */
  const groups = new Map<string, FairQueue<Item>>()
  let size = 0

  const takeAllOf = (group: string): readonly Item[] => {
    const taken = groups.get(group)?.takeAll() ?? []
    groups.delete(group)
    size -= taken.length
    return taken
  }

  return {
    get size() {
      return size
    },
    has: (group) => groups.has(group),
    add: (item) => {
      const { group, key } = placeOf(item)
      const queue = groups.get(group) ?? createFairQueue<Item>()
      groups.set(group, queue)
      queue.add(key, item)
      size += 1
    },
    remove: (item) => {
      const { group, key } = placeOf(item)
      const queue = groups.get(group)
      if (queue?.remove(key, item) !== true) return false
      if (queue.size === 0) groups.delete(group)
      size -= 1
      return true
    },
    take: (may) => {
      for (const [group, queue] of groups) {
        if (may?.ofGroup?.(group) === false) continue
        const item = queue.take(may && ((_key, first) => may.first(first)))
        if (item === undefined) continue
        groups.delete(group)
        if (queue.size > 0) groups.set(group, queue)
        size -= 1
        return item
      }
      return undefined
    },
    canTake: ({ ofGroup, first }) =>
      [...groups].some(([group, queue]) => ofGroup?.(group) !== false && queue.canTake((_key, item) => first(item))),
    takeAll: (group) => (group === undefined ? [...groups.keys()].flatMap(takeAllOf) : takeAllOf(group)),
  }
}
