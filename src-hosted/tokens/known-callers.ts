// Who sends a request, remembered for a moment, so that only a few requests look at the database. What was remembered is
// asked again before it is 3 s old, behind the requests that use it; so a token that was revoked by another process
// counts for at most 5 s.

import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'
import type { AccessStore, KnownToken } from '../store/tenancy.ts'

export type KnownCallers = {
  /** Undefined when the credential is not valid. `digest` is its SHA-256. */
  find(kind: Credential, digest: Buffer): KnownToken | undefined | Promise<KnownToken | undefined>
  /** The token was revoked here, or the session ended: they are asked about anew. */
  forget(which: { readonly tokenId: string } | { readonly digest: Buffer }): void
}

export type Credential = 'token' | 'session'

const FRESH_MS = 1_500
const KEPT_MS = 3_000
const MOST_KEPT = 10_000

type Entry = {
  readonly known: Promise<KnownToken | undefined>
  /** When it was asked, on the monotonic clock. */
  readonly at: number
  /** What the promise settled with. */
  settled?: { readonly known: KnownToken | undefined }
  isRefreshing: boolean
}

/** In ms. `now`: of the database's clock, which goes back when another server takes over whose clock is behind; `monotonic` does not. */
export const createKnownCallers = (
  store: Pick<AccessStore, 'findToken' | 'findSession'>,
  { now, monotonic }: { readonly now: () => number; readonly monotonic: () => number },
): KnownCallers => {
  const entries = new Map<string, Entry>()

  const ask = (kind: Credential, digest: Buffer): Entry => {
    const entry: Entry = {
      at: monotonic(),
      known: kind === 'token' ? store.findToken(digest) : store.findSession(digest),
      isRefreshing: false,
    }
    const key = keyOf(kind, digest)
    entries.set(key, entry)
    forgetOldest(entries, MOST_KEPT)
    entry.known.then(
      (known) => (entry.settled = { known }),
      () => entries.get(key) === entry && entries.delete(key),
    )
    return entry
  }

  /** While it is asked again, what was known goes on to count. */
  const refresh = (kind: Credential, digest: Buffer, stale: Entry): void => {
    stale.isRefreshing = true
    const key = keyOf(kind, digest)
    const fresh = ask(kind, digest)
    entries.set(key, stale)
    const replace = () => void (entries.get(key) === stale && entries.set(key, fresh))
    fresh.known.then(replace, () => void (stale.isRefreshing = false))
  }

  return {
    find: (kind, digest) => {
      const entry = entries.get(keyOf(kind, digest))
      if (entry === undefined) return unexpired(ask(kind, digest).known, now)
      const { settled } = entry
      const age = monotonic() - entry.at
      // An answer may also be that old that has not been read yet, because this process stood still.
      if (age >= KEPT_MS) return unexpired(ask(kind, digest).known, now)
      if (settled === undefined) return unexpired(entry.known, now)
      if (age >= FRESH_MS && !entry.isRefreshing) refresh(kind, digest, entry)
      return isExpired(settled.known, now()) ? undefined : settled.known
    },
    forget: (which) => {
      if ('digest' in which) {
        for (const kind of ['token', 'session'] as const) entries.delete(keyOf(kind, which.digest))
        return
      }
      for (const [key, { settled }] of entries) {
        if (settled === undefined || settled.known?.tokenId === which.tokenId) entries.delete(key)
      }
    },
  }
}

const keyOf = (kind: Credential, digest: Buffer): string => `${kind}:${digest.toString('base64')}`

const isExpired = (known: KnownToken | undefined, at: number): boolean =>
  known?.expiresAt !== undefined && known.expiresAt <= at

const unexpired = async (
  known: Promise<KnownToken | undefined>,
  now: () => number,
): Promise<KnownToken | undefined> => {
  const found = await known
  return isExpired(found, now()) ? undefined : found
}
