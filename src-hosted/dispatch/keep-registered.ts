// Registers this worker at Restate: at its start, and again when Restate has lost its data or all workers that it knows are
// gone.

import type { Logger } from 'pino'
import { pause } from '../../src-runtime/shared/pause.ts'
import type { RestateDeployment, RestateDeployments } from './restate-deployments.ts'
import { watchSilence } from './silent-addresses.ts'

const LOOK_EVERY_MS = 2_000
const FIRST_TRIES_MS = 60_000
const TRY_EVERY_MS = 500
/** How long another address does not answer before it is removed: its unfinished work blocks its Executions. */
const ABANDON_AFTER_MS = 10_000
/** How often it looks for what is unfinished at addresses that were removed. */
const LOOKS_PER_ORPHANS = 8

export type Registered = {
  /** Settles once Restate sends work here; rejects when it cannot be reached for a minute. */
  readonly first: Promise<void>
  /** May be called twice. */
  stop(): Promise<void>
}

/**
 * `isAlone`: no other worker uses this Restate, and unfinished work of other addresses cannot be continued. Otherwise every
 * worker asks the addresses of the others at each look, and removes those where nobody has answered for `abandonAfterMs`,
 * unless Restate gets an answer there: two workers that reach Restate, but not each other, both do their work. So an
 * address whose worker has died is removed within `abandonAfterMs`, two looks and what Restate takes to find out (3 s at most), as long
 * as any worker runs for so long. If it was the address that got all new work, the next newest gets it. Only then the unfinished work
 * there is ended: until it is removed, new work may come to it. The newest worker also removes older addresses once all their work is finished.
 * Several workers may stand behind one address: whichever registers it does so for all of them.
 */
export const keepRegistered = (
  deployments: RestateDeployments,
  url: string,
  options: {
    readonly isAlone: boolean
    readonly log: Logger
    /** Called again and again while a newer worker gets all new work. */
    readonly onReplaced?: () => void
    readonly lookEveryMs?: number
    readonly abandonAfterMs?: number
  },
): Registered => {
  const {
    isAlone,
    log,
    onReplaced = () => {},
    lookEveryMs = LOOK_EVERY_MS,
    abandonAfterMs = ABANDON_AFTER_MS,
  } = options
  let id = ''
  const stopping = new AbortController()
  const { signal } = stopping
  const findSilent = watchSilence(abandonAfterMs)

  const register = async (): Promise<void> => {
    const deadline = performance.now() + FIRST_TRIES_MS
    for (;;) {
      try {
        id = await deployments.register(url)
        // A Restate that was killed answers no queries for a moment after it has come back.
        if (isAlone) await deployments.abandonOthers(id, signal)
        return
      } catch (error) {
        if (signal.aborted || performance.now() > deadline) throw error
        await pause(TRY_EVERY_MS, signal)
        signal.throwIfAborted()
      }
    }
  }

  let looksToOrphans = LOOKS_PER_ORPHANS
  /** A worker that comes back at the same address registers it again, as another deployment. */
  const abandon = async ({ id: other, uri }: RestateDeployment): Promise<void> => {
    log.warn({ url: uri }, 'no worker answers at another address; what is unfinished there is done elsewhere')
    await deployments.remove(other)
    looksToOrphans = 0 // at this look, or at the next one if Restate fails in between
  }

  const endOrphans = async (): Promise<void> => {
    const count = await deployments.endOrphans(signal)
    looksToOrphans = LOOKS_PER_ORPHANS
    if (count > 0) log.warn({ count }, 'what was unfinished at removed addresses is done elsewhere')
  }

  const findGone = async (others: readonly RestateDeployment[]): Promise<ReadonlySet<string>> => {
    const silent = await findSilent(others, signal)
    signal.throwIfAborted()
    const gone = await Promise.all(
      others.map(async ({ id: other, uri }) => silent.has(other) && !(await deployments.reaches(uri))),
    )
    return new Set(others.filter((_, index) => gone[index] === true).map((other) => other.id))
  }

  let isFirstLook = true
  const look = async (): Promise<void> => {
    while (!signal.aborted) {
      await pause(lookEveryMs, signal)
      if (signal.aborted) return
      try {
        const known = await deployments.list()
        const own = known.find(({ uri }) => isSameAddress(uri, url))
        id = own?.id ?? id
        const others = known.filter((one) => one.id !== id)
        const gone = await findGone(others)
        signal.throwIfAborted()
        // Before others are removed: without any address, Restate refuses messages.
        if (known.length === gone.size) {
          log.warn('Restate knows no worker that answers; this one is registered again')
          id = await deployments.register(url)
        } else if (own === undefined && isFirstLook) {
          log.warn('another worker has removed this address while this one came back to it; it is registered again')
          id = await deployments.register(url)
        }
        isFirstLook = false
        if (!isAlone) for (const other of others) if (gone.has(other.id)) await abandon(other)
        if ((looksToOrphans -= 1) <= 0) await endOrphans()
        if (!isAlone && (await deployments.retireOthers(id)) === undefined) onReplaced()
      } catch (error) {
        log.debug({ err: error }, 'Restate cannot be asked for its workers now')
      }
    }
  }

  const first = register()
  const looking = first.then(look, () => {})
  return {
    first,
    stop: () => {
      stopping.abort()
      deployments.stop()
      return looking
    },
  }
}

/** Restate may add a slash to an address. */
const isSameAddress = (one: string, other: string): boolean => withoutSlash(one) === withoutSlash(other)

const withoutSlash = (url: string): string => new URL(url).href.replace(/\/+$/, '')
