// The effect hosts of one place. Usually all effects share one. It is replaced when what it has read has changed.
// While it is blocked, another takes over. Attempts that may harm a host run apart from all others.

import type { Logger } from 'pino'
import type { Attempt } from './attempt.ts'
import { createAttemptQueue, roomAlone, roomBeside, type AttemptQueue, type Room } from './attempt-queue.ts'
import type { EffectHostLimits } from './effect-host-limits.ts'
import type { EffectOutcome } from './effect-performer.ts'
import { cancelled, effectsNotRead, folderMissing, hostNotStarted } from './failures.ts'
import { createHeldFailures } from './held-failures.ts'
import { heapMbIn } from './host-environment.ts'
import type { HostPlace } from './host-place.ts'
import type { SpawnEffectHost } from './spawn-effect-host.ts'
import { superviseHost, type EffectHostStatus, type SupervisedHost } from './supervise-host.ts'
import { createIsolatedAttempts } from './isolated-attempts.ts'

export type HostGroup = {
  perform(attempt: Attempt): void
  cancel(attempt: Attempt): void
  /** Begins waiting attempts, if a host may start now. */
  pump(): void
  /** The same, but looks at the place before. */
  pumpAnew(): void
  /** Whether attempts wait for a host. */
  readonly isWaiting: boolean
  /** Ends a host that is idle. `false`: there is none. */
  retireIdle(): boolean
  /** A host takes no new attempts for so long, and ends if it has none left meanwhile. `false`: there is none. */
  makeWay(ms: number): boolean
  /** Hosts that make way take attempts again. */
  stayOpen(): void
  /** It has no host, and no attempt waits. */
  readonly isEmpty: boolean
  status(): readonly EffectHostStatus[]
  /** Begins no more attempts; resolves when every host has ended. */
  stop(): Promise<void>
}

const LOOK_AT_PLACE_EVERY_MS = 100
/** A look at a thousand modules may take long, and nothing else runs meanwhile: the time between looks is so many times as long. */
const BETWEEN_LOOKS = 50
const LONGEST_BETWEEN_LOOKS_MS = 2_000
/** With as many hosts, none is replaced for a changed module, as when effects write such a file themselves, again and again. */
const MANY_HOSTS = 8
/** With more blocked hosts than this, the one that has been blocked longest is killed. */
const MOST_BLOCKED = 4
/** The key of the failure of a host that does not start. Other keys are bundles. */
const START = ''

export const createHostGroup = (
  place: HostPlace,
  deps: {
    readonly spawn: SpawnEffectHost
    /**
     * A bound on hosts; default: none. While `take` refuses, attempts wait, and `pump` tries again. `isOnly`: no other host
     * takes them. `offer`: a host has nothing to do, and another group may need its place.
     */
    readonly slots?: { take(isOnly: boolean): boolean; giveBack(): void; offer(): void }
    readonly limits: EffectHostLimits
    readonly log: Logger
    /** See `superviseHost`. */
    readonly isOutputPrivate?: boolean
    readonly now: () => number
  },
): HostGroup => {
  const { slots, limits, now } = deps
  const hosts = new Set<SupervisedHost>()
  /** The host of each attempt that no longer waits. */
  const hostOf = new WeakMap<Attempt, SupervisedHost>()
  const shared = createAttemptQueue()
  const solo = createAttemptQueue()
  const isolated = createIsolatedAttempts()
  const failures = createHeldFailures(now)
  let fingerprint: string | undefined
  let lookAgainAt = -Infinity
  let stopped = false
  let pumping = false
  /** Which host was refused a slot first: it takes the next one, so that neither kind waits for ever. */
  let refused: 'shared' | 'alone' | undefined

  const perform = (attempt: Attempt): void => {
    const refusal = refusalOf(attempt)
    if (refusal !== undefined) return attempt.settle(refusal)
    const queue = isolated.has(attempt) ? solo : shared
    queue.add(attempt)
    pump()
  }

  const refusalOf = ({ call, bundle }: Attempt): EffectOutcome | undefined => {
    lookAtPlace()
    if (fingerprint === undefined) return folderMissing(call.name, place.folder)
    return failures.find(START) ?? failures.find(bundle.digest)
  }

  /** Replaces hosts if what they read at their start, or a module that they have loaded, has changed. */
  const lookAtPlace = (): void => {
    const at = now()
    if (at < lookAgainAt) return
    const current = place.fingerprint()
    const isOther = current !== fingerprint
    fingerprint = current
    if (isOther) failures.forgetAll()
    const isOutdated = (host: SupervisedHost): boolean => hosts.size < MANY_HOSTS && host.accepts && host.isOutdated()
    for (const host of hosts) if (isOther || isOutdated(host)) host.retire()
    const between = Math.max(LOOK_AT_PLACE_EVERY_MS, BETWEEN_LOOKS * (now() - at))
    lookAgainAt = at + Math.min(between, LONGEST_BETWEEN_LOOKS_MS)
  }

  const pump = (): void => {
    // Starting a host may end another, which calls this function again.
    if (stopped || pumping) return
    pumping = true
    try {
      if (refused === 'alone') fill(solo, placeAlone)
      fill(shared, placeAmongOthers)
      fill(solo, placeAlone)
    } finally {
      pumping = false
    }
  }

  const fill = (queue: AttemptQueue, findPlace: () => Place): void => {
    while (queue.size > 0) {
      const placed = findPlace()
      if (placed.kind === 'none') return
      const attempt = placed.kind === 'in' ? takeFor(placed.host, queue) : queue.take()
      if (attempt === undefined) return
      if (placed.kind === 'refused') attempt.settle(placed.outcome)
      else runIn(placed.host, attempt)
    }
  }

  const takeFor = (host: SupervisedHost, queue: AttemptQueue): Attempt | undefined => {
    if (!host.solo) return queue.take(roomBeside(host.attempts(), limits.concurrency))
    return queue.take(roomInSolo(), host.occupied === 0 ? undefined : isolated.mayShare)
  }

  const mostTogether = (): number => Math.min(isolated.together, limits.concurrency)

  const roomInSolo = (): Room =>
    roomAlone(
      [...hosts].filter((host) => host.solo).flatMap((host) => host.attempts()),
      limits.soloHosts * mostTogether(),
    )

  const placeAmongOthers = (): Place => {
    const open = [...hosts].filter((host) => !host.solo && host.accepts)
    if (open.length === 0) return start(false)
    const host = open.find(({ occupied }) => occupied < limits.concurrency)
    return host === undefined ? NO_PLACE : { kind: 'in', host }
  }

  const placeAlone = (): Place => {
    if (!solo.canTake(roomInSolo())) return NO_PLACE
    const alone = [...hosts].filter((host) => host.solo)
    const host = alone.find(({ accepts, occupied }) => accepts && occupied === 0)
    if (host !== undefined) return { kind: 'in', host }
    const started = alone.length < limits.soloHosts ? start(true) : NO_PLACE
    return started.kind === 'none' ? placeAmongSuspects(alone) : started
  }

  const placeAmongSuspects = (alone: readonly SupervisedHost[]): Place => {
    const most = mostTogether()
    const host = alone.find(
      ({ accepts, occupied, attempts }) => accepts && occupied < most && attempts().every(isolated.mayShare),
    )
    return host === undefined ? NO_PLACE : { kind: 'in', host }
  }

  const runIn = (host: SupervisedHost, attempt: Attempt): void => {
    try {
      host.run(attempt)
      hostOf.set(attempt, host)
    } catch (error) {
      attempt.settle(effectsNotRead(attempt.call.name, error))
    }
  }

  const start = (alone: boolean): Place => {
    const held = failures.find(START)
    if (held !== undefined) return { kind: 'refused', outcome: held }
    const hasOther = [...hosts].some(({ solo }) => solo === alone)
    const which = alone ? 'alone' : 'shared'
    if (slots?.take(!hasOther) === false) {
      refused ??= which
      return NO_PLACE
    }
    if (refused === which) refused = undefined
    killLongestBlocked()
    try {
      const environment = place.environment()
      const host: SupervisedHost = superviseHost(
        {
          ...deps,
          place,
          environment,
          limits: { ...limits, heapMb: heapMbIn(environment) ?? limits.heapMb },
          solo: alone,
          isolated,
        },
        {
          onChange: () => {
            pump()
            if (host.occupied === 0) slots?.offer()
          },
          onLoaded: (bundle) => {
            failures.forget(START)
            failures.forget(bundle)
          },
          onLoadFailed: failures.hold,
          onStartFailed: (outcome) => failures.hold(START, outcome),
          onInterrupted: perform,
          onGone: () => {
            hosts.delete(host)
            slots?.giveBack()
            pump()
          },
        },
      )
      // A blocked host that answers again finishes its attempts, but gets no new ones: it has a successor.
      if (!alone) for (const other of hosts) if (!other.solo) other.retire()
      hosts.add(host)
      return { kind: 'in', host }
    } catch (error) {
      slots?.giveBack()
      const outcome = hostNotStarted(place.name, { code: null, signal: null, error: error as Error }, '')
      failures.hold(START, outcome)
      return { kind: 'refused', outcome }
    }
  }

  const killLongestBlocked = (): void => {
    const blocked = [...hosts].filter((host) => host.blockedSince !== undefined)
    if (blocked.length < MOST_BLOCKED) return
    const [longest] = blocked.sort((one, other) => one.blockedSince! - other.blockedSince!)
    longest?.killBlocked()
  }

  return {
    perform,
    cancel: (attempt) => {
      attempt.settle(cancelled(attempt.call.name))
      hostOf.get(attempt)?.cancel(attempt)
      if (!shared.remove(attempt)) solo.remove(attempt)
    },
    pump,
    get isWaiting() {
      return shared.size + solo.size > 0
    },
    pumpAnew: () => {
      lookAtPlace()
      pump()
    },
    retireIdle: () => {
      const host = [...hosts].find(({ accepts, occupied }) => accepts && occupied === 0)
      host?.retire()
      return host !== undefined
    },
    makeWay: (ms) => {
      const host = [...hosts].find(({ accepts }) => accepts)
      if (host === undefined) return false
      // The next time it is another one's turn.
      hosts.delete(host)
      hosts.add(host)
      host.makeWay(ms)
      return true
    },
    stayOpen: () => {
      for (const host of [...hosts]) host.stayOpen()
    },
    get isEmpty() {
      return hosts.size + shared.size + solo.size === 0
    },
    status: () => [...hosts].map((host) => host.status()),
    stop: async () => {
      stopped = true
      await Promise.all([...hosts].map((host) => host.stop()))
    },
  }
}

type Place =
  | { readonly kind: 'in'; readonly host: SupervisedHost }
  | { readonly kind: 'refused'; readonly outcome: EffectOutcome }
  /** All hosts are full. */
  | { readonly kind: 'none' }

const NO_PLACE: Place = { kind: 'none' }
