// Supervises one effect host: checks that it answers and that its attempts end in time, stops it when it is idle or
// must be replaced, and gives every attempt an outcome when it dies.

import type { Logger } from 'pino'
import type { Attempt } from './attempt.ts'
import { createEffectHostLink, type EffectHostLink } from './effect-host-link.ts'
import type { EffectHostLimits } from './effect-host-limits.ts'
import type { EffectOutcome } from './effect-performer.ts'
import { blockedItsHost, crashed, hostNotStarted, loadTimedOut, restarted, timedOut } from './failures.ts'
import { checkHost, type Culprit, type Verdict } from './check-host.ts'
import type { EffectHostExit, SpawnEffectHost } from './spawn-effect-host.ts'
import type { IsolatedAttempts } from './isolated-attempts.ts'

export type SupervisedHost = {
  /** It takes one attempt at a time. */
  readonly solo: boolean
  readonly blockedSince: number | undefined
  /** Whether it takes attempts now. */
  readonly accepts: boolean
  readonly occupied: number
  /** Throws when the bundle cannot be read. */
  run(attempt: Attempt): void
  cancel(attempt: Attempt): void
  /** Takes no new attempts, and stops when it has none left. */
  retire(): void
  /** Kills the host at once, as blocked. */
  killBlocked(): void
  status(): EffectHostStatus
  /** Stops the host without failing its attempts. Resolves when the process has ended. */
  stop(): Promise<void>
}

export type EffectHostStatus = {
  readonly folder: string
  readonly pid: number | undefined
  readonly state: 'starting' | 'ready' | 'blocked' | 'retiring'
  readonly solo: boolean
  readonly underWay: number
  readonly ageMs: number
}

export type SupervisedHostEvents = {
  /** It may have room, or another host may be needed. */
  onChange(): void
  onLoaded(bundle: string): void
  onLoadFailed(bundle: string, outcome: EffectOutcome): void
  onStartFailed(outcome: EffectOutcome): void
  onGone(): void
}

type Kill = Extract<Verdict, { kind: 'kill' }>

const TICK_MS = 250
/** After a tick that is this late, the runtime was busy, and the host's silence does not count. */
const LATE_TICK_MS = 1_000
/** Ended attempts whose code still runs; with more, the host is replaced. */
const MOST_LEFT = 50

export const superviseHost = (
  deps: {
    readonly spawn: SpawnEffectHost
    readonly folder: string
    readonly environment: Readonly<Record<string, string>>
    readonly solo: boolean
    readonly isolated: IsolatedAttempts
    readonly limits: EffectHostLimits
    readonly log: Logger
    readonly now: () => number
  },
  events: SupervisedHostEvents,
): SupervisedHost => {
  const { folder, solo, isolated, limits, log, now } = deps
  const gone = Promise.withResolvers<void>()
  let retiring = false
  let stopping = false
  let killed = false
  /** Since the last attempt ended. */
  let hasBlocked = false
  let ticker: NodeJS.Timeout | undefined
  let tickedAt = 0
  let idleTimer: NodeJS.Timeout | undefined
  let stopTimer: NodeJS.Timeout | undefined

  const link: EffectHostLink = createEffectHostLink(deps, {
    onEnded: (attempt) => {
      isolated.noteEnd(attempt, solo && !hasBlocked)
      hasBlocked = false
      settleDown()
      events.onChange()
    },
    onLoaded: (bundle) => events.onLoaded(bundle),
    onLoadFailed: (bundle, outcome) => {
      events.onLoadFailed(bundle, outcome)
      // A module that threw cannot be evaluated again in the same process.
      retire()
    },
    onBlocked: (culprit) => {
      const attempt = culprit.kind === 'attempt' ? link.attempt(culprit.id) : undefined
      if (attempt !== undefined) isolated.noteBlock(attempt)
      noticeBlocked(attempt?.call.name, culprit.stack)
    },
    onUnblocked: () => events.onChange(),
    onStray: ({ what, error }) => {
      log.error({ folder, stack: error.stack }, `${STRAY[what]} outside of any attempt: ${error.message}`)
      // As Node advises: after an uncaught exception the state of the process is unknown.
      if (what === 'exception') retire()
    },
    onExit,
  })

  function noticeBlocked(name: string | undefined, stack: string): void {
    hasBlocked = true
    log.warn(
      { folder, stack },
      `effect ${name === undefined ? 'code' : `"${name}"`} blocks its process; other effects go to another`,
    )
    watch()
    events.onChange()
  }

  function watch(): void {
    if (ticker !== undefined || killed) return
    tickedAt = now()
    ticker = setInterval(tick, TICK_MS)
    ticker.unref()
  }

  function tick(): void {
    if (killed) return
    const at = now()
    if (at - tickedAt > LATE_TICK_MS) link.excuse(at)
    tickedAt = at
    act(checkHost(link.snapshot(), at, limits))
    if (link.occupied > 0 || link.blockedSince !== undefined) return
    clearInterval(ticker)
    ticker = undefined
  }

  function act(verdict: Verdict): void {
    switch (verdict.kind) {
      case 'fine':
        return
      case 'blocked':
        link.markBlocked()
        return noticeBlocked(undefined, '')
      case 'overdue':
        for (const id of verdict.ids) {
          const attempt = link.attempt(id)
          if (attempt !== undefined) giveUp(attempt)
        }
        return
      case 'load_overdue':
        return link.giveUpLoad(verdict.bundle, loadTimedOut(folder, limits.loadMs, undefined))
      case 'kill':
        return kill(verdict)
    }
  }

  function giveUp(attempt: Attempt): void {
    const { name, timeoutMs } = attempt.call
    const why = link.blockedSince === undefined ? '' : ': its process was blocked by something else'
    link.cancel(attempt)
    attempt.settle(timedOut(name, timeoutMs, why))
    events.onChange()
  }

  function kill({ culprit, why }: Kill): void {
    killed = true
    retiring = true
    const blockedMs = now() - (link.blockedSince ?? now())
    const blamed = culprit.kind === 'attempt' ? link.attempt(culprit.id) : undefined
    const isCertain = culprit.stack !== '' || link.occupied === 1
    for (const attempt of link.wanted()) {
      if (!isCertain) isolated.noteCrash(attempt)
      else if (attempt === blamed) isolated.noteBlock(attempt)
      attempt.settle(
        attempt === blamed
          ? outcomeOfBlamed(attempt, why, culprit, blockedMs)
          : restarted(
              attempt.call.name,
              `${nameOf(culprit, blamed)} blocked it for ${Math.round(blockedMs / 100) / 10} s`,
            ),
      )
    }
    log.error({ folder, stack: culprit.stack }, `the effect host was killed: ${nameOf(culprit, blamed)} blocked it`)
    link.kill()
    events.onChange()
  }

  function onExit(exit: EffectHostExit): void {
    for (const timer of [ticker, idleTimer, stopTimer]) clearTimeout(timer)
    retiring = true
    if (!stopping && !killed) failAll(exit)
    events.onGone()
    gone.resolve()
  }

  function failAll(exit: EffectHostExit): void {
    const wanted = link.wanted()
    const words = link.lastWords()
    if (!link.hasSpoken) {
      const outcome = hostNotStarted(folder, exit, words)
      for (const attempt of wanted) attempt.settle(outcome)
      events.onStartFailed(outcome)
    }
    const others = link.occupied - 1
    for (const attempt of wanted) {
      if (attempt.settled) continue
      isolated.noteCrash(attempt)
      attempt.settle(crashed(attempt.call.name, others, exit, words, limits))
    }
    if (exit.code !== 0 || wanted.length > 0) log.error({ folder, ...exit }, 'the effect host died')
  }

  function settleDown(): void {
    clearTimeout(idleTimer)
    if (link.left > MOST_LEFT || link.bundles >= limits.bundlesPerHost) retiring = true
    if (link.occupied > 0 || killed || stopping) return
    if (retiring) return end()
    idleTimer = setTimeout(retire, limits.idleMs)
    idleTimer.unref()
  }

  function retire(): void {
    if (retiring) return
    retiring = true
    if (link.occupied === 0) end()
  }

  function end(): void {
    clearTimeout(idleTimer)
    link.stop()
    stopTimer ??= setTimeout(() => link.kill(), limits.stopMs)
  }

  return {
    solo,
    get blockedSince() {
      return killed ? undefined : link.blockedSince
    },
    get accepts() {
      return !retiring && link.blockedSince === undefined
    },
    get occupied() {
      return link.occupied
    },
    run: (attempt) => {
      try {
        link.run(attempt)
      } finally {
        settleDown()
      }
      watch()
    },
    cancel: (attempt) => link.cancel(attempt),
    retire,
    killBlocked: () => {
      const { blocked } = link.snapshot()
      kill({ kind: 'kill', why: 'others_wait', culprit: blocked?.culprit ?? { kind: 'stray', stack: '' } })
    },
    status: () => ({
      folder,
      pid: link.pid,
      state: stateOf(link, retiring),
      solo,
      underWay: link.occupied,
      ageMs: Math.round(now() - link.startedAt),
    }),
    stop: () => {
      stopping = true
      retiring = true
      end()
      return gone.promise
    },
  }
}

const STRAY = {
  exception: 'an exception was thrown',
  rejection: 'a promise was rejected and not handled',
  exit: 'process.exit was called',
}

const nameOf = (culprit: Culprit, blamed: Attempt | undefined): string => {
  if (blamed !== undefined) return `effect "${blamed.call.name}"`
  return culprit.kind === 'load' ? 'a module that was being loaded' : 'code that belongs to no attempt'
}

const outcomeOfBlamed = ({ call }: Attempt, why: Kill['why'], { stack }: Culprit, blockedMs: number): EffectOutcome => {
  const where = stack === '' ? undefined : `blocked\n${stack}`
  if (why === 'others_wait') return blockedItsHost(call.name, blockedMs, where)
  return timedOut(call.name, call.timeoutMs, ': it blocked its process, which was stopped', where)
}

const stateOf = (link: EffectHostLink, retiring: boolean): EffectHostStatus['state'] => {
  if (link.blockedSince !== undefined) return 'blocked'
  if (retiring) return 'retiring'
  return link.hasSpoken ? 'ready' : 'starting'
}
