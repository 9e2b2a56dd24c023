// Bounds the memory that bodies of calls take: each takes room as it arrives, because anybody may announce a body that never comes.
// While others wait for room, a call whose body has been arriving for long is refused. So whoever would keep others out has to
// send as much as fits in the room, again and again.

import { Transform, type TransformCallback } from 'node:stream'
import { type EndsWait, unlessAborted, unlessEither, unlessLate } from '../../src-runtime/shared/fair-places.ts'
import { createBodyPlaces, noRoom, WAIT_MS } from './request-memory.ts'

/** As much room is taken at a time. The first so many bytes of each body take none. */
const STEP_BYTES = 64 * 1024
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
  const places = createBodyPlaces()
  /** By workspace, the oldest first. */
  const arriving = new Map<string, Set<Arriving>>()
  const late = unlessLate(waitMs, 'no memory was free in time')

  const refuseSlow = (workspaceId: string): void => {
    const [oldest] = arriving.get(workspaceId) ?? []
    if (oldest !== undefined && performance.now() - oldest.since > slowMs) oldest.refuse()
  }

  /** Ends no wait by itself. */
  const refusingSlow =
    (workspaceId: string): EndsWait =>
    () => {
      const look = setInterval(() => refuseSlow(workspaceId), LOOK_EVERY_MS)
      return () => clearInterval(look)
    }

  return {
    begin: (workspaceId) => {
      const gone = new AbortController()
      const unless = unlessEither(unlessEither(late, unlessAborted(gone.signal)), refusingSlow(workspaceId))
      const taken: (() => void)[] = []
      let uncounted = STEP_BYTES

      const giveBack = (): void => {
        gone.abort()
        endArrival()
        for (const give of taken.splice(0)) give()
      }
      /** Answers whether there was room for as many bytes. */
      const takeFor = async (bytes: number): Promise<boolean> => {
        uncounted -= bytes
        while (uncounted < 0) {
          const give = await places.take(workspaceId, unless, STEP_BYTES).catch(() => undefined)
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
