// A queue that alternates between keys, and is first in, first out within a key. So an Execution with ten thousand
// effects does not delay another one with a single effect.

type MayTake<Item> = (key: string, item: Item) => boolean

export type FairQueue<Item> = {
  readonly size: number
  has(key: string): boolean
  add(key: string, item: Item): void
  /** Whether it was still waiting. */
  remove(key: string, item: Item): boolean
  /** The next item of the first key that `mayTake` accepts, which is given that item too; by default any key. */
  take(mayTake?: MayTake<Item>): Item | undefined
  /** Whether `take` would return an item. */
  canTake(mayTake: MayTake<Item>): boolean
  takeAll(): readonly Item[]
}

export const createFairQueue = <Item>(): FairQueue<Item> => {
  /** Maps and sets keep the order of insertion. */
  const waiting = new Map<string, Set<Item>>()
  let size = 0

  const find = (mayTake: MayTake<Item> | undefined) => {
    for (const [key, items] of waiting) {
      const [item] = items
      if (mayTake === undefined || mayTake(key, item!)) return { key, items, item: item! }
    }
    return undefined
  }

  return {
    get size() {
      return size
    },
    has: (key) => waiting.has(key),
    add: (key, item) => {
      const items = waiting.get(key)
      if (items === undefined) waiting.set(key, new Set([item]))
      else items.add(item)
      size += 1
    },
    remove: (key, item) => {
      const items = waiting.get(key)
      if (items?.delete(item) !== true) return false
      if (items.size === 0) waiting.delete(key)
      size -= 1
      return true
    },
    take: (mayTake) => {
      const found = find(mayTake)
      if (found === undefined) return undefined
      const { key, items, item } = found
      items.delete(item)
      waiting.delete(key)
      if (items.size > 0) waiting.set(key, items)
      size -= 1
      return item
    },
    canTake: (mayTake) => find(mayTake) !== undefined,
    takeAll: () => {
      const items = [...waiting.values()].flatMap((set) => [...set])
      waiting.clear()
      size = 0
      return items
    },
  }
}
