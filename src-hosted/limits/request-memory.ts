// How much memory the requests of this process may take at once, in all and of each workspace. Further ones wait a moment, for
// which workspaces take turns. Bodies are held several times while they are parsed and stored, so this is a part of the memory.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import { createFairPlaces, unlessAborted, unlessLate, type EndsWait } from '../../src-runtime/shared/fair-places.ts'

export type RequestMemory = {
  /** The error is the answer: there was no room in time, or `gone` has aborted. */
  take(of: { readonly workspaceId: string }, bytes: number, gone: AbortSignal): Promise<(() => void) | ApiError>
  /** Takes it whether or not it is free. Call the result once. */
  occupy(of: { readonly workspaceId: string }, bytes: number): () => void
}

const MEBIBYTE = 1024 ** 2
const MOST_BYTES = 96 * MEBIBYTE
const MOST_OF_WORKSPACE = 64 * MEBIBYTE
/** A request must arrive within 30 s, which its wait is a part of. */
const WAIT_MS = 5_000

const either =
  (one: EndsWait, other: EndsWait): EndsWait =>
  (reject) => {
    const ends = [one(reject), other(reject)]
    return () => ends.forEach((end) => end())
  }

export const createRequestMemory = (waitMs = WAIT_MS): RequestMemory => {
  const places = createFairPlaces(MOST_BYTES, () => MOST_OF_WORKSPACE)
  const late = unlessLate(waitMs, 'no memory was free in time')
  return {
    take: async ({ workspaceId }, bytes, gone) => {
      try {
        return await places.take(workspaceId, either(late, unlessAborted(gone)), bytes)
      } catch {
        return new ApiError('unavailable', 'The service has too many large requests under way.', { 'retry-after': '1' })
      }
    },
    occupy: ({ workspaceId }, bytes) => places.occupy(workspaceId, bytes),
  }
}
