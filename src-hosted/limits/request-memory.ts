// How much memory large bodies of this process may take at once, in all and of each workspace, and the answers to each
// workspace. Further requests wait a moment, for which workspaces take turns. Bodies are held several times while they are parsed
// and stored, so this is a part of the memory. No workspace can keep another one out: the first body of a workspace waits for
// nobody, and reads wait only for the answers to their own workspace.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import { createFairPlaces, unlessAborted, unlessLate, type EndsWait } from '../../src-runtime/shared/fair-places.ts'

type Of = { readonly workspaceId: string }
type Needed = { readonly bytes: number; readonly isRead: boolean }

export type RequestMemory = {
  /** The error is the answer: there was no room in time, or `gone` has aborted. Call the function once. */
  take(of: Of, needed: Needed, gone: AbortSignal): Promise<(() => void) | ApiError>
  /** Takes it for an answer, whether or not it is free. Call the result once. */
  occupy(of: Of, bytes: number): () => void
  /** How long a caller may read nothing of an answer. */
  readonly silenceMs: number
}

const MEBIBYTE = 1024 ** 2
const MOST_BYTES = 96 * MEBIBYTE
const MOST_OF_WORKSPACE = 64 * MEBIBYTE
/** A request must arrive within 30 s, which its wait is a part of. */
const WAIT_MS = 5_000
/** An answer of which nothing is read keeps its memory this long. */
const SILENCE_MS = 30_000

const either =
  (one: EndsWait, other: EndsWait): EndsWait =>
  (reject) => {
    const ends = [one(reject), other(reject)]
    return () => ends.forEach((end) => end())
  }

export const createRequestMemory = ({ waitMs = WAIT_MS, silenceMs = SILENCE_MS } = {}): RequestMemory => {
  const bodies = createFairPlaces(MOST_BYTES, () => MOST_OF_WORKSPACE)
  const answers = createFairPlaces(Number.POSITIVE_INFINITY, () => MOST_OF_WORKSPACE)
  const late = unlessLate(waitMs, 'no memory was free in time')
  return {
    take: async ({ workspaceId }, { bytes, isRead }, gone) => {
      if (!isRead && bodies.takenBy(workspaceId) === 0) return bodies.occupy(workspaceId, bytes)
      try {
        return await (isRead ? answers : bodies).take(workspaceId, either(late, unlessAborted(gone)), bytes)
      } catch {
        return new ApiError('unavailable', 'The service has too many large requests under way.', { 'retry-after': '1' })
      }
    },
    occupy: ({ workspaceId }, bytes) => answers.occupy(workspaceId, bytes),
    silenceMs,
  }
}
