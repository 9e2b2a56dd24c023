// What waits for a place, first come first served for each key, the keys taking turns: an Execution that fans out over
// ten thousand effects does not hold up one that wants a single effect.

export type FairQueue<Item> = {
  readonly size: number
  add(key: string, item: Item): void
  /** Whether it was still waiting. */
  remove(key: string, item: Item): boolean
  /** The next item of the first key that may have one; any key may unless told. */
  take(mayTake?: (key: string) => boolean): Item | undefined
  /** Everything of one key, or of all. */
  takeAll(key?: string): readonly Item[]
}

export const createFairQueue = <Item>(): FairQueue<Item> => {
  /** Maps and sets keep the order of insertion. */
  const waiting = new Map<string, Set<Item>>()
  let size = 0
  return {
    get size() {
      return size
    },
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
      for (const [key, items] of waiting) {
        if (mayTake !== undefined && !mayTake(key)) continue
        const [item] = items
        items.delete(item!)
        waiting.delete(key)
        if (items.size > 0) waiting.set(key, items)
        size -= 1
        return item
      }
      return undefined
    },
    takeAll: (key) => {
      const taken = key === undefined ? [...waiting.values()] : [waiting.get(key) ?? new Set<Item>()]
      if (key === undefined) waiting.clear()
      else waiting.delete(key)
      const items = taken.flatMap((set) => [...set])
      size -= items.length
      return items
    },
  }
}
