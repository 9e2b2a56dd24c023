// A map that keeps values up to a size in all, and then drops those that were set first.

export type SizedMap<Key, Value> = {
  get(key: Key): Value | undefined
  /** As the newest. That one is kept, however large it is. */
  set(key: Key, value: Value): void
  /** Returns the value and removes it. */
  take(key: Key): Value | undefined
}

export const createSizedMap = <Key, Value>(most: number, sizeOf: (value: Value) => number): SizedMap<Key, Value> => {
  /** Oldest first. */
  const values = new Map<Key, Value>()
  let size = 0

  const take = (key: Key): Value | undefined => {
    const value = values.get(key)
    if (value === undefined) return undefined
    values.delete(key)
    size -= sizeOf(value)
    return value
  }

  return {
    get: (key) => values.get(key),
    set: (key, value) => {
      take(key)
      values.set(key, value)
      size += sizeOf(value)
      for (const oldest of values.keys()) {
        if (size <= most || values.size === 1) return
        take(oldest)
      }
    },
    take,
  }
}
