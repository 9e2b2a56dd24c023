// Bounds the memory that bodies of calls take: each takes room as it arrives, because anybody may announce a body that never comes.
// While others wait for room, a call whose body has been arriving for long is refused. So whoever would keep others out has to
// send as much as fits in the room, again and again.

import { Transform, type TransformCallback } from 'node:stream'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import { createFairPlaces, unlessAborted, unlessEither, unlessLate } from '../../src-runtime/shared/fair-places.ts'

const MEBIBYTE = 1024 ** 2
const MOST_BYTES = 96 * MEBIBYTE
const MOST_OF_WORKSPACE = 64 * MEBIBYTE
/** What a workspace may have though others have taken everything. */
const SURE_OF_WORKSPACE = 16 * MEBIBYTE
/** Of bodies up to this length, nothing is counted, nor of longer ones their first so many bytes. */
export const LARGE_BYTES = 64 * 1024
/** As much room is taken at a time. */
const STEP_BYTES = 64 * 1024
const WAIT_MS = 5_000
/** How long a body may take to arrive while others wait for room. */
const SLOW_MS = 2_000
const LOOK_EVERY_MS = 100

export type ArrivingBody = {
  /** What the body is to pass through. Fails with an ApiError where there is no room in time. */
  readonly stream: Transform
  /** The call was answered, or its caller is gone. May be called twice. */
  giveBack(): void
}

export type ArrivingBodies = {
  begin(workspaceId: string): ArrivingBody
}

type Arriving = { readonly since: number; readonly refuse: () => void }

export const createArrivingBodies = ({ waitMs = WAIT_MS, slowMs = SLOW_MS } = {}): ArrivingBodies => {
  const places = createFairPlaces(MOST_BYTES, () => MOST_OF_WORKSPACE, SURE_OF_WORKSPACE)
  /** By workspace, the oldest first. */
  const arriving = new Map<string, Set<Arriving>>()
  const late = unlessLate(waitMs, 'no memory was free in time')

  const refuseSlow = (workspaceId: string): void => {
    const [oldest] = arriving.get(workspaceId) ?? []
    if (oldest !== undefined && performance.now() - oldest.since > slowMs) oldest.refuse()
  }

  const takeStep = (workspaceId: string, gone: AbortSignal): Promise<() => void> => {
    const taken = places.take(workspaceId, unlessEither(late, unlessAborted(gone)), STEP_BYTES)
    const look = setInterval(() => refuseSlow(workspaceId), LOOK_EVERY_MS)
    return taken.finally(() => clearInterval(look))
  }

  return {
    begin: (workspaceId) => {
      const gone = new AbortController()
      const taken: (() => void)[] = []
      let uncounted = LARGE_BYTES

      const giveBack = (): void => {
        gone.abort()
        endArrival()
        for (const give of taken.splice(0)) give()
      }
      /** Answers whether there was room for as many bytes. */
      const takeFor = async (bytes: number): Promise<boolean> => {
        uncounted -= bytes
        while (uncounted < 0) {
          const give = await takeStep(workspaceId, gone.signal).catch(() => undefined)
          if (give === undefined) return false
          if (gone.signal.aborted) give()
          else taken.push(give)
          uncounted += STEP_BYTES
        }
        return true
      }
      const pass = async (chunk: Buffer, done: TransformCallback): Promise<void> =>
        (await takeFor(chunk.length)) ? done(null, chunk) : done(noRoom())
      const stream = new Transform({
        transform: (chunk: Buffer, _encoding, done: TransformCallback) => {
          // Nobody keeps what still comes.
          if (gone.signal.aborted) return done()
          void pass(chunk, done)
        },
        flush: (done) => {
          endArrival()
          done()
        },
      })
      stream.on('error', () => {}) // whoever reads it may have ended before
      const own: Arriving = {
        since: performance.now(),
        refuse: () => {
          giveBack()
          stream.destroy(noRoom())
        },
      }
      const ofWorkspace = arriving.get(workspaceId) ?? new Set()
      arriving.set(workspaceId, ofWorkspace.add(own))
      const endArrival = (): void => {
        ofWorkspace.delete(own)
        if (ofWorkspace.size === 0 && arriving.get(workspaceId) === ofWorkspace) arriving.delete(workspaceId)
      }
      return { stream, giveBack }
    },
  }
}

const noRoom = () =>
  new ApiError('unavailable', 'The service has too many large requests under way.', { 'retry-after': '1' })
