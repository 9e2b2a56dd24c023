// Ends what is held open for a caller whose token is revoked or expires, or whose session ends: streams, and answers that
// wait. All credentials that hold something are asked about together.

import type { Clock } from '../../src-runtime/shared/clock.ts'
import type { AccessStore } from '../store/tenancy.ts'

export type CredentialWatch = {
  /** Calls back once when the credential is not valid any more; not after the function it returns was called. */
  whenInvalid(credential: string, listener: () => void): () => void
  stop(): void
}

const EVERY_MS = 2_000

export const watchCredentials = (
  access: Pick<AccessStore, 'valid'>,
  clock: Pick<Clock, 'after'>,
  onError: (error: unknown) => void,
): CredentialWatch => {
  const watched = new Map<string, Set<() => void>>()
  let cancel: (() => void) | undefined
  let isStopped = false

  const look = async (): Promise<void> => {
    const asked = [...watched.keys()]
    const valid = await access.valid(asked.map((credential) => Buffer.from(credential, 'base64')))
    const known = new Set(valid.map((digest) => digest.toString('base64')))
    for (const credential of asked) {
      if (known.has(credential)) continue
      const listeners = watched.get(credential) ?? []
      watched.delete(credential)
      for (const listener of listeners) listener()
    }
  }

  const lookLater = (): void => {
    if (cancel !== undefined || isStopped || watched.size === 0) return
    cancel = clock.after(EVERY_MS, () => {
      look()
        .catch(onError)
        .finally(() => {
          cancel = undefined
          lookLater()
        })
    })
  }

  return {
    whenInvalid: (credential, listener) => {
      const listeners = watched.get(credential) ?? new Set()
      listeners.add(listener)
      watched.set(credential, listeners)
      lookLater()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && watched.get(credential) === listeners) watched.delete(credential)
      }
    },
    stop: () => {
      isStopped = true
      cancel?.()
    },
  }
}
