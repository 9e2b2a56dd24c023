// A map for entries that come and go all the time. V8 links each table that a Map has outgrown to the next one. Once one of
// them is old, the quick garbage collection keeps all later tables, and everything that their entries held, until the
// slow one. Here a removed entry is emptied, so that outgrown tables hold nothing large.

export type TransientMap<Key, Value> = {
  readonly size: number
  get(key: Key): Value | undefined
  /** Adds the entry at the end, or replaces its value. */
  set(key: Key, value: Value): void
  delete(key: Key): void
  clear(): void
  /** Both in the order in which the keys were added. */
  keys(): Iterable<Key>
  values(): Iterable<Value>
}

export const createTransientMap = <Key, Value>(): TransientMap<Key, Value> => {
  const entries = new Map<Key, { value: Value | undefined }>()

  const remove = (key: Key): void => {
    const entry = entries.get(key)
    if (entry === undefined) return
    entry.value = undefined
    entries.delete(key)
  }

  function* values(): Generator<Value> {
    for (const entry of entries.values()) yield entry.value as Value
  }

  return {
    get size() {
      return entries.size
    },
    get: (key) => entries.get(key)?.value,
    set: (key, value) => {
      const entry = entries.get(key)
      if (entry === undefined) entries.set(key, { value })
      else entry.value = value
    },
    delete: remove,
    clear: () => {
      for (const key of [...entries.keys()]) remove(key)
    },
    keys: () => entries.keys(),
    values,
  }
}
