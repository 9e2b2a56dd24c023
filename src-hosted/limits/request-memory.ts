// How much memory large bodies of this process may take at once, in all and of each workspace, and the answers to each
// workspace. Further requests wait a moment, for which workspaces take turns. A body is in memory several times while it is parsed
// and stored, so the process takes more than this. No workspace can keep another one out: the first bodies of a workspace wait
// for nobody, and reads wait only for the answers to their own workspace.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import type { RequestRoom } from '../../src-runtime/http/request-room.ts'
import { DEPLOY_BODY_LIMIT_BYTES } from '../../src-runtime/shared/deploy-limit.ts'
import {
  createFairPlaces,
  type FairPlaces,
  unlessAborted,
  unlessEither,
  unlessLate,
} from '../../src-runtime/shared/fair-places.ts'
import { createLoopTurns } from '../../src-runtime/shared/loop-turns.ts'

type Of = { readonly workspaceId: string }
const MEBIBYTE = 1024 ** 2
const MOST_BYTES = 96 * MEBIBYTE
const MOST_OF_WORKSPACE = 64 * MEBIBYTE
/** What a workspace may have though others have taken everything, with bodies that never arrive, too: the largest body, or many smaller ones. */
const SURE_OF_WORKSPACE = DEPLOY_BODY_LIMIT_BYTES
/** Of requests whose answers are held, for up to a minute. */
const MOST_HELD_OF_WORKSPACE = 32 * MEBIBYTE
/** The wait is part of the 30 s in which a request must arrive. */
export const WAIT_MS = 5_000

/** For the bytes of large bodies that are in memory at once. Keys are workspaces. */
export const createBodyPlaces = (): FairPlaces =>
  createFairPlaces(MOST_BYTES, () => MOST_OF_WORKSPACE, SURE_OF_WORKSPACE)

export const noRoom = (): ApiError =>
  new ApiError('unavailable', 'The service has too many large requests under way.', { 'retry-after': '1' })

export const createRequestMemory = ({ waitMs = WAIT_MS } = {}): RequestRoom<Of> => {
  const bodies = createBodyPlaces()
  const answers = createFairPlaces(Number.POSITIVE_INFINITY, () => MOST_OF_WORKSPACE)
  const held = createFairPlaces(Number.POSITIVE_INFINITY, () => MOST_HELD_OF_WORKSPACE)
  const turns = createLoopTurns()
  const late = unlessLate(waitMs, 'no memory was free in time')
  return {
    take: async ({ workspaceId }, { bytes, isRead }, gone) => {
      try {
        return await (isRead ? answers : bodies).take(workspaceId, unlessEither(late, unlessAborted(gone)), bytes)
      } catch {
        return noRoom()
      }
    },
    turn: ({ workspaceId }) => turns(workspaceId),
    occupy: ({ workspaceId }, bytes) => answers.occupy(workspaceId, bytes),
    hold: ({ workspaceId }, bytes) =>
      held.takenBy(workspaceId) + bytes > MOST_HELD_OF_WORKSPACE ? undefined : held.occupy(workspaceId, bytes),
  }
}
