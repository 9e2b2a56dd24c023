// A queue in which groups take turns, the kinds of each group, and the keys of each kind. So neither many items of a key nor many keys
// delay those of another kind or group.

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
  placeOf: (item: Item) => { readonly group: string; readonly kind?: string; readonly key: string },
): FairGroups<Item> => {
  /** Queues by kind, and those by group. The next one first. */
  const groups = new Map<string, Map<string, FairQueue<Item>>>()
  let size = 0

  const takeAllOf = (group: string): readonly Item[] => {
    const taken = [...(groups.get(group)?.values() ?? [])].flatMap((queue) => queue.takeAll())
    groups.delete(group)
    size -= taken.length
    return taken
  }

  const takeOf = (kinds: Map<string, FairQueue<Item>>, may: MayTake<Item> | undefined): Item | undefined => {
    for (const [kind, queue] of kinds) {
      const item = queue.take(may && ((_key, first) => may.first(first)))
      if (item === undefined) continue
      kinds.delete(kind)
      if (queue.size > 0) kinds.set(kind, queue)
      return item
    }
    return undefined
  }

  return {
    get size() {
      return size
    },
    has: (group) => groups.has(group),
    add: (item) => {
      const { group, kind = '', key } = placeOf(item)
      const kinds = groups.get(group) ?? new Map<string, FairQueue<Item>>()
      const queue = kinds.get(kind) ?? createFairQueue<Item>()
      groups.set(group, kinds)
      kinds.set(kind, queue)
      queue.add(key, item)
      size += 1
    },
    remove: (item) => {
      const { group, kind = '', key } = placeOf(item)
      const kinds = groups.get(group)
      const queue = kinds?.get(kind)
      if (queue?.remove(key, item) !== true) return false
      if (queue.size === 0) kinds?.delete(kind)
      if (kinds?.size === 0) groups.delete(group)
      size -= 1
      return true
    },
    take: (may) => {
      for (const [group, kinds] of groups) {
        if (may?.ofGroup?.(group) === false) continue
        const item = takeOf(kinds, may)
        if (item === undefined) continue
        groups.delete(group)
        if (kinds.size > 0) groups.set(group, kinds)
        size -= 1
        return item
      }
      return undefined
    },
    canTake: ({ ofGroup, first }) =>
      [...groups].some(
        ([group, kinds]) =>
          ofGroup?.(group) !== false && [...kinds.values()].some((queue) => queue.canTake((_key, item) => first(item))),
      ),
    takeAll: (group) => (group === undefined ? [...groups.keys()].flatMap(takeAllOf) : takeAllOf(group)),
  }
}
