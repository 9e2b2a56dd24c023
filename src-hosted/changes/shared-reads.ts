// Bounds how many reads run at once, for which workspaces take turns. Readers that ask for the same share one read.

import { createFairPlaces, unlessAborted } from '../../src-runtime/shared/fair-places.ts'

export type SharedReads<Result> = (
  /** `key` says what is read: `read` is not called if another reader of the workspace waits for the same. */
  what: { readonly workspaceId: string; readonly key: string },
  read: () => Promise<Result>,
  /** Aborts when the reader has left. A read that has not begun is called off once all its readers have left. */
  left: AbortSignal,
) => Promise<Result>

type Shared<Result> = { readonly result: Promise<Result>; readonly readers: Set<AbortSignal>; callOff(): void }

export const createSharedReads = <Result>(most: number, mostOfWorkspace: number): SharedReads<Result> => {
  const places = createFairPlaces(most, () => mostOfWorkspace)
  const underWay = new Map<string, Shared<Result>>()

  return (what, read, left) => {
    const key = JSON.stringify([what.workspaceId, what.key])
    const begin = (): Shared<Result> => {
      const abandoned = new AbortController()
      const readInTurn = async (): Promise<Result> => {
        try {
          const giveBack = await places.take(what.workspaceId, unlessAborted(abandoned.signal))
          return await read().finally(giveBack)
        } finally {
          if (underWay.get(key) === shared) underWay.delete(key)
        }
      }
      const shared = { result: readInTurn(), readers: new Set<AbortSignal>(), callOff: () => abandoned.abort() }
      underWay.set(key, shared)
      return shared
    }

    const shared = underWay.get(key) ?? begin()
    const leave = (): void => {
      shared.readers.delete(left)
      if (shared.readers.size > 0) return
      if (underWay.get(key) === shared) underWay.delete(key)
      shared.callOff()
    }
    shared.readers.add(left)
    left.addEventListener('abort', leave, { once: true })
    return shared.result.finally(() => left.removeEventListener('abort', leave))
  }
}
