// Registers this worker at Restate: at its start, and again when Restate does not know its address any more. But not while workers
// answer at a newer address: Restate would send all new work to the one that was registered last.

import type { Logger } from 'pino'
import { pause } from '../../src-runtime/shared/pause.ts'
import type { RestateDeployment, RestateDeployments } from './restate-deployments.ts'
import { watchSilence } from './silent-addresses.ts'

const LOOK_EVERY_MS = 2_000
const FIRST_TRIES_MS = 60_000
/** A Restate that starts at the same moment is there sooner, and nobody needs to know of that wait. */
const SAYS_AFTER_MS = 10_000
const TRY_EVERY_MS = 500
/** How long another address does not answer before it is removed: its unfinished work blocks its Executions. */
const ABANDON_AFTER_MS = 10_000
/** How often it looks for what is unfinished at addresses that were removed. */
const LOOKS_PER_ORPHANS = 8
/** How often Restate is asked whether it reaches the others, and how often in a row it must say that it does not. */
const LOOKS_PER_REACH = 8
const FEWEST_UNREACHED = 3
/** How often it notes that this address is in use; such notes are kept for 30 days. */
const LOOKS_PER_NOTE = 1_800

const UNREGISTERED = 'this worker cannot be registered at Restate'
const IDLE =
  'workers at another address get all new work, and this one only what was begun here, until they are gone; if this one is to replace them, start it at an address where this release was not before'

/** Why an address is removed. */
type Gone = keyof typeof GONE
const GONE = {
  silent: 'no worker answers at another address',
  unreached: 'Restate does not reach another address, though it reaches this one',
} as const

export type Registered = {
  /**
   * Settles once Restate sends work here, or workers at a newer address get it; rejects when Restate or the store cannot be reached for a
   * minute.
   */
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
 * there is ended: until it is removed, new work may come to it. An address is also removed when Restate says for half a minute that it gets
 * no answer there, though it gets one from this worker. The newest worker also removes older addresses once all their work is finished.
 * A worker whose address was removed registers it again unless workers answer at a newer one, as where this one stood still for so long, or
 * where Restate has lost its data. While it takes no work itself (`isAway`), it leaves all addresses as they are. Several workers may
 * stand behind one address: whichever registers it does so for all of them.
 */
export const keepRegistered = (
  deployments: RestateDeployments,
  url: string,
  options: {
    readonly isAlone: boolean
    readonly log: Logger
    /** Notes that workers are at this address, and others at those; answers which of these are newer. Not asked where `isAlone`. */
    readonly newerOf: (url: string, others: readonly string[]) => Promise<readonly string[]>
    /** Whether it is away because PostgreSQL does not answer it: the others may be away, too, and it cannot take over their work. */
    readonly isAway?: () => boolean
    /** Called again and again while a newer worker gets all new work. */
    readonly onReplaced?: () => void
    /** Told at each look whether this worker gets new work. */
    readonly onLook?: (getsWork: boolean) => void
    readonly lookEveryMs?: number
    readonly abandonAfterMs?: number
    /** After how long it says that it is not registered. */
    readonly saysAfterMs?: number
    readonly triesForMs?: number
  },
): Registered => {
  const {
    isAlone,
    log,
    newerOf,
    isAway = () => false,
    onReplaced = () => {},
    onLook = () => {},
    lookEveryMs = LOOK_EVERY_MS,
    abandonAfterMs = ABANDON_AFTER_MS,
    saysAfterMs = SAYS_AFTER_MS,
    triesForMs = FIRST_TRIES_MS,
  } = options
  let id = ''
  const stopping = new AbortController()
  const { signal } = stopping
  const findSilent = watchSilence(abandonAfterMs)

  const isOwn = ({ uri }: RestateDeployment): boolean => withoutSlash(uri) === withoutSlash(url)
  const findNewer = (others: readonly RestateDeployment[]): Promise<readonly string[]> =>
    newerOf(
      withoutSlash(url),
      others.toSorted((one, other) => one.createdAt - other.createdAt).map(({ uri }) => withoutSlash(uri)),
    )

  /** Why this address is not registered, of which one line tells. */
  let outBecause: 'replaced' | 'refused' | undefined

  const registerUnlessReplaced = async (): Promise<void> => {
    const known = await deployments.list()
    const newer = await findNewer(known.filter((one) => !isOwn(one)))
    if (newer.length === 0 || known.some(isOwn)) {
      id = await deployments.register(url)
      return
    }
    outBecause = 'replaced'
    log.warn(
      { url, newer },
      'this address was removed from Restate, and workers at a newer one get all work; to go back to this release, start it at another address',
    )
  }

  const register = async (): Promise<void> => {
    const deadline = performance.now() + triesForMs
    let saysAt = performance.now() + saysAfterMs
    for (;;) {
      try {
        if (!isAlone) return await registerUnlessReplaced()
        id = await deployments.register(url)
        // A Restate that was killed answers no queries for a moment after it has come back.
        await deployments.abandonOthers(id, signal)
        return
      } catch (error) {
        if (signal.aborted) throw error
        if (performance.now() > deadline) throw new Error(UNREGISTERED, { cause: error })
        if (performance.now() > saysAt) {
          saysAt = Infinity
          log.warn({ url, err: error }, `${UNREGISTERED}; it is tried again for a minute`)
        }
        await pause(TRY_EVERY_MS, signal)
        signal.throwIfAborted()
      }
    }
  }

  let looksToOrphans = LOOKS_PER_ORPHANS
  /** A worker that comes back at the same address registers it again, as another deployment. */
  const abandon = async ({ id: other, uri }: RestateDeployment, why: Gone): Promise<void> => {
    log.warn({ url: uri }, `${GONE[why]}; what is unfinished there is done elsewhere`)
    await deployments.remove(other)
    looksToOrphans = 0 // at this look, or at the next one if Restate fails in between
  }

  const endOrphans = async (): Promise<void> => {
    const count = await deployments.endOrphans(signal)
    looksToOrphans = LOOKS_PER_ORPHANS
    if (count > 0) log.warn({ count }, 'what was unfinished at removed addresses is done elsewhere')
  }

  let looksToReach = LOOKS_PER_REACH
  /** At how many checks in a row Restate said that it does not reach a deployment. */
  let unreached: ReadonlyMap<string, number> = new Map()
  /** Workers may answer each other where Restate does not reach one of them: its work would stand still for ever. */
  const findUnreached = async (others: readonly RestateDeployment[]): Promise<ReadonlySet<string>> => {
    if ((looksToReach -= 1) > 0) return new Set()
    looksToReach = LOOKS_PER_REACH
    const cannot = await Promise.all(others.map(({ uri }) => deployments.cannotReach(uri)))
    // Where it does not reach this worker either, another one would not get further.
    const isOneReached = cannot.includes(true) && (await deployments.reaches(url))
    const checks = others.map(({ id: other }, index): [string, number] => [
      other,
      isOneReached && cannot[index] === true ? (unreached.get(other) ?? 0) + 1 : 0,
    ])
    unreached = new Map(checks)
    return new Set(checks.filter(([, count]) => count >= FEWEST_UNREACHED).map(([other]) => other))
  }

  const findGone = async (others: readonly RestateDeployment[]): Promise<ReadonlyMap<string, Gone>> => {
    const [silent, notReached] = await Promise.all([findSilent(others, signal), findUnreached(others)])
    signal.throwIfAborted()
    const gone = await Promise.all(
      others.map(async ({ id: other, uri }): Promise<readonly [string, Gone][]> => {
        if (notReached.has(other)) return [[other, 'unreached']]
        return silent.has(other) && !(await deployments.reaches(uri)) ? [[other, 'silent']] : []
      }),
    )
    return new Map(gone.flat())
  }

  /** `others`: at which somebody answers. */
  const comeBack = async (others: readonly RestateDeployment[]): Promise<void> => {
    const newer = isAlone || others.length === 0 ? [] : await findNewer(others)
    if (newer.length > 0) {
      if (outBecause !== 'replaced') {
        log.info({ url, newer }, 'this address was removed from Restate: workers at a newer one get all work')
      }
      outBecause = 'replaced'
      return
    }
    try {
      id = await deployments.register(url)
    } catch (error) {
      if (outBecause !== 'refused' && !signal.aborted) {
        log.warn(
          { err: error, url },
          'Restate does not know this address any more, and does not take it; it is asked again',
        )
      }
      outBecause = 'refused'
      throw error
    }
    outBecause = undefined
    log.warn({ url }, 'Restate did not know this address any more; it is registered again')
  }

  let looksToNote = 0
  let noted = ''
  const note = async (others: readonly RestateDeployment[]): Promise<void> => {
    const now = others.map((other) => other.id).join()
    if ((looksToNote -= 1) > 0 && now === noted) return
    await findNewer(others)
    looksToNote = LOOKS_PER_NOTE
    noted = now
  }

  let wasReplaced = false
  /** Once each time; where this address was removed, that was said. */
  const tellReplaced = (isReplaced: boolean, others: readonly RestateDeployment[]): void => {
    if (isReplaced === wasReplaced || outBecause !== undefined) return
    wasReplaced = isReplaced
    const at = others.map(({ uri }) => uri)
    if (isReplaced) log.info({ url, others: at }, IDLE)
    else log.info({ url }, 'this worker gets new work')
  }

  const tellRetired = ({ uri }: RestateDeployment): void =>
    log.info({ url: uri }, 'all work of workers at an older address is done, and Restate does not know it any more')

  const look = async (): Promise<void> => {
    while (!signal.aborted) {
      await pause(lookEveryMs, signal)
      if (signal.aborted) return
      try {
        if (isAway()) {
          await findSilent([]) // forgets since when others have been silent
          unreached = new Map()
          onLook(false)
          continue
        }
        const known = await deployments.list()
        const own = known.find(isOwn)
        if (own !== undefined) {
          id = own.id
          outBecause = undefined
        }
        const others = known.filter((one) => !isOwn(one))
        const gone = await findGone(others)
        signal.throwIfAborted()
        // Before others are removed: without any address, Restate refuses messages.
        if (own === undefined) await comeBack(others.filter((other) => !gone.has(other.id)))
        if (!isAlone) {
          for (const other of others) {
            const why = gone.get(other.id)
            if (why !== undefined) await abandon(other, why)
          }
        }
        if ((looksToOrphans -= 1) <= 0) await endOrphans()
        if (isAlone) continue
        const isReplaced = (await deployments.retireOthers(id, tellRetired)) === undefined
        tellReplaced(isReplaced, others)
        if (isReplaced) onReplaced()
        onLook(!isReplaced)
        await note(others)
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

/** Restate may add one to an address. */
const withoutSlash = (url: string): string => new URL(url).href.replace(/\/+$/, '')
