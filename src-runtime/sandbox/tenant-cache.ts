// What a host keeps of several tenants, up to a number of bytes together. Beyond that, the tenant that keeps the most loses what it used
// least recently. So whoever keeps little loses nothing, however much others keep.

type Owned = {
  /** Empty where there are no tenants. */
  readonly tenant: string
}

export type TenantCache<Value extends Owned> = {
  /** Replaces what was kept for the key. What was just added is never dropped, however large it is. */
  add(key: string, value: Value): void
  /** It counts as used. */
  get(key: string): Value | undefined
  /** Returns the value and removes it. */
  take(key: string): Value | undefined
  entries(): Iterable<readonly [key: string, value: Value]>
  readonly bytes: number
  readonly count: number
}

/** Of one tenant: its keys, the least recently used first. */
type Share = { readonly keys: Set<string>; bytes: number }

export const createTenantCache = <Value extends Owned>(
  mostBytes: number,
  sizeOf: (value: Value) => number,
  onDropped: (value: Value) => void = () => {},
): TenantCache<Value> => {
  const values = new Map<string, Value>()
  const shares = new Map<string, Share>()
  let bytes = 0

  const put = (key: string, value: Value): void => {
    const share = shares.get(value.tenant) ?? { keys: new Set(), bytes: 0 }
    shares.set(value.tenant, share)
    values.set(key, value)
    share.keys.add(key)
    share.bytes += sizeOf(value)
    bytes += sizeOf(value)
  }

  const take = (key: string): Value | undefined => {
    const value = values.get(key)
    if (value === undefined) return undefined
    const share = shares.get(value.tenant)!
    values.delete(key)
    share.keys.delete(key)
    share.bytes -= sizeOf(value)
    bytes -= sizeOf(value)
    if (share.keys.size === 0) shares.delete(value.tenant)
    return value
  }

  const oldestOfLargest = (): string => {
    const [first, ...others] = shares.values()
    const largest = others.reduce((most, share) => (share.bytes > most.bytes ? share : most), first!)
    return largest.keys.values().next().value!
  }

  return {
    add: (key, value) => {
      take(key)
      put(key, value)
      while (bytes > mostBytes) {
        const oldest = oldestOfLargest()
        if (oldest === key) return
        onDropped(take(oldest)!)
      }
    },
    get: (key) => {
      const value = take(key)
      if (value !== undefined) put(key, value)
      return value
    },
    take,
    entries: () => values,
    get bytes() {
      return bytes
    },
    get count() {
      return values.size
    },
  }
}
