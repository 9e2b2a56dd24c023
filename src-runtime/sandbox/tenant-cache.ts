// What a host keeps of several tenants, up to a number of bytes together. Beyond that, what nobody used for minutes is dropped, and then
// a tenant that keeps the most, or at least half as much, loses what it used least recently. So whoever keeps little loses nothing that is
// in use, however much others keep.

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
  takeAll(isGone: (value: Value) => boolean): void
  readonly bytes: number
  readonly count: number
}

/** Otherwise those who use much would get no more than what idle ones leave to them, for as long as the host runs. */
const IDLE_MS = 300_000

type Kept<Value> = { readonly value: Value; readonly usedAt: number }

/** Of one tenant: its keys, the least recently used first. */
type Share = { readonly keys: Set<string>; bytes: number }

export const createTenantCache = <Value extends Owned>(
  mostBytes: number,
  sizeOf: (value: Value) => number,
  onDropped: (value: Value) => void = () => {},
): TenantCache<Value> => {
  /** The least recently used first. */
  const values = new Map<string, Kept<Value>>()
  const shares = new Map<string, Share>()
  /** By the number of bits of their `bytes`: of thousands, one of the largest is found at once. Each has the least recently used first. */
  const levels = Array.from({ length: 33 }, () => new Set<Share>())
  let bytes = 0

  const levelOf = (share: Share): Set<Share> => levels[32 - Math.clz32(share.bytes)]!

  const resize = (share: Share, addedBytes: number): void => {
    levelOf(share).delete(share)
    share.bytes += addedBytes
    bytes += addedBytes
    if (share.keys.size > 0) levelOf(share).add(share)
  }

  const put = (key: string, value: Value): void => {
    const share = shares.get(value.tenant) ?? { keys: new Set(), bytes: 0 }
    shares.set(value.tenant, share)
    values.set(key, { value, usedAt: performance.now() })
    share.keys.add(key)
    resize(share, sizeOf(value))
  }

  const take = (key: string): Value | undefined => {
    const kept = values.get(key)
    if (kept === undefined) return undefined
    const { value } = kept
    const share = shares.get(value.tenant)!
    values.delete(key)
    share.keys.delete(key)
    resize(share, -sizeOf(value))
    if (share.keys.size === 0) shares.delete(value.tenant)
    return value
  }

  const nextToDrop = (): string => {
    const [leastRecent, { usedAt }] = values.entries().next().value!
    if (performance.now() - usedAt > IDLE_MS) return leastRecent
    const largest = levels.findLast(({ size }) => size > 0)!
    const [share] = largest
    const [oldest] = share!.keys
    return oldest!
  }

  return {
    add: (key, value) => {
      take(key)
      put(key, value)
      while (bytes > mostBytes) {
        const oldest = nextToDrop()
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
    takeAll: (isGone) => {
      for (const [key, { value }] of values) if (isGone(value)) take(key)
    },
    get bytes() {
      return bytes
    },
    get count() {
      return values.size
    },
  }
}
