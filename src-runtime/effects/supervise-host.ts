// One effect host: gives it attempts, reads what it answers, checks that it answers and that its attempts end in time, and
// gives every attempt an outcome when it dies.

import type { Logger } from 'pino'
import type { Attempt } from './attempt.ts'
import type { EffectHostLimits } from './effect-host-limits.ts'
import type { EffectOutcome } from './effect-performer.ts'
import { deathText, effectsNotRead, hostNotStarted, loadFailed, loadTimedOut, restarted, timedOut } from './failures.ts'
import { checkHost, type Culprit, type HostSnapshot, type Verdict } from './check-host.ts'
import { createHostLog } from './host-log.ts'
import type { HostPlace } from './host-place.ts'
import { createHostStage, type HostStage } from './host-stage.ts'
import { createHostWork } from './host-work.ts'
import { readFromHost, type FromHost, type ToHost } from './messages.ts'
import { fingerprintOf } from '../shared/error-fingerprint.ts'
import { writeFirst } from '../shared/write-first.ts'
import type { EffectHostExit, SpawnEffectHost } from './spawn-effect-host.ts'
import type { IsolatedAttempts } from './isolated-attempts.ts'
import { settleCrashed, settleKilled } from './lost-host.ts'

export type SupervisedHost = Pick<HostStage, 'retire' | 'makeWay' | 'stayOpen'> & {
  /** It takes only attempts that must not share a host with all others. */
  readonly solo: boolean
  readonly blockedSince: number | undefined
  /** Whether it takes attempts now. */
  readonly accepts: boolean
  readonly occupied: number
  /** Those that occupy it. */
  attempts(): readonly Attempt[]
  /** Throws when the bundle cannot be read. */
  run(attempt: Attempt): void
  cancel(attempt: Attempt): void
  /** Whether files that it has read were changed. */
  isOutdated(): boolean
  /** Kills the host at once, as blocked. */
  killBlocked(): void
  status(): EffectHostStatus
  /** Stops the host without failing its attempts. Resolves when the process has ended. */
  stop(): Promise<void>
}

export type EffectHostStatus = {
  /** Of its place. */
  readonly name: string
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
  /** The host was killed because of others: the attempt is to be performed again. */
  onInterrupted(attempt: Attempt): void
  onGone(): void
}

type Kill = Extract<Verdict, { kind: 'kill' }>

const TICK_MS = 250
/**
 * After a tick that is this late, the runtime was busy or stopped, and the host's silence does not count. For as long after the first
 * such tick, nothing is overdue, because what the host has said meanwhile is still to be read. A busy runtime may be late at every tick.
 */
const LATE_TICK_MS = 1_000
/** Ended attempts whose code still runs; with more, the host is replaced. */
const MOST_LEFT = 50
/** Files of modules that are looked at. */
const MOST_READ = 1_000
/** Effects that the log names when their host dies. */
const MOST_NAMED = 20

export const superviseHost = (
  deps: {
    readonly spawn: SpawnEffectHost
    readonly place: Pick<HostPlace, 'name' | 'folder' | 'memoryAdvice' | 'stampOf'>
    readonly environment: Readonly<Record<string, string>>
    readonly solo: boolean
    readonly isolated: IsolatedAttempts
    readonly limits: EffectHostLimits
    readonly log: Logger
    /** What effects print or throw outside of any attempt is not logged, because others than their authors read the log. */
    readonly isOutputPrivate?: boolean
    readonly now: () => number
  },
  events: SupervisedHostEvents,
): SupervisedHost => {
  const { place, solo, isolated, limits, log, isOutputPrivate = false, now } = deps
  const { name, folder } = place
  const work = createHostWork(now)
  const hostLog = createHostLog(log, isOutputPrivate, now)
  const startedAt = now()
  const gone = Promise.withResolvers<void>()
  let heardAt = startedAt
  let hasSpoken = false
  /** Ended attempts whose code still runs. */
  let left = 0
  /** The stamps of files that the host has read. */
  const read = new Map<string, string>()
  let blocked: HostSnapshot['blocked']
  /** Since the last attempt ended. */
  let hasBlocked = false
  let outbox: ToHost[] = []
  let ticker: NodeJS.Timeout | undefined
  let tickedAt = 0
  let readsUntil: number | undefined

  const stage = createHostStage({
    limits,
    occupied: () => work.occupied,
    askToStop: () => send({ kind: 'stop' }),
    killProcess: () => host.kill(),
    onOpenAgain: () => events.onChange(),
  })
  const host = deps.spawn(
    { folder, environment: deps.environment, heapMb: limits.heapMb },
    { onMessage: (message) => hear(readFromHost(message)), onOutput: hostLog.print, onExit },
  )
  send({ kind: 'begin', folder, limits })

  function send(...messages: readonly ToHost[]): void {
    if (outbox.length === 0) setImmediate(flush)
    outbox.push(...messages)
  }

  function flush(): void {
    host.send(outbox)
    outbox = []
  }

  function hear(batch: readonly FromHost[]): void {
    if (batch.length === 0) return
    heardAt = now()
    hasSpoken = true
    for (const message of batch) handle(message)
    if (blocked !== undefined && batch.every(({ kind }) => kind !== 'blocked')) {
      blocked = undefined
      events.onChange()
    }
  }

  function handle(message: FromHost): void {
    switch (message.kind) {
      case 'completed':
        return end(message.id, { kind: 'completed', data: message.data })
      case 'failed':
        return end(message.id, { kind: 'failed', error: message.error, retryable: message.retryable })
      case 'log': {
        const attempt = work.attempt(message.id)
        if (attempt?.settled !== false) return
        for (const line of message.lines) attempt.call.onLog({ level: line.level, message: line.message })
        return
      }
      case 'beat':
        left = message.left
        work.noteBeat(message.heard)
        return
      case 'loaded':
        return loaded(message.bundle)
      case 'read':
        // Code of others runs in hosts whose files never change, and could fill the memory of this process with names of files.
        if (place.stampOf !== undefined && read.size < MOST_READ) read.set(message.file, message.stamp)
        return
      case 'load_failed':
        return notLoaded(message.bundle, loadFailed(name, message.error))
      case 'blocked':
        return noticeBlocked(culpritOf(isOutputPrivate ? { ...message, stack: '' } : message))
      case 'stray':
        hostLog.report(() => logStray(message))
        // As Node advises: after an uncaught exception the state of the process is unknown.
        if (message.what === 'exception') stage.retire()
    }
  }

  function logStray({ what, error }: Extract<FromHost, { kind: 'stray' }>): void {
    const text = `${STRAY[what]} outside of any attempt`
    if (isOutputPrivate) writeLine('error', text)
    else writeLine('error', `${text}: ${error.message}`, { stack: error.stack }, fingerprintOf(error))
  }

  /** Attempts may end hosts of this place, or block them, one after the other. */
  function writeLine(level: 'warn' | 'error', text: string, facts: object = {}, kind = text): void {
    writeFirst(
      log,
      kind,
      () => log[level](facts, text),
      (more) => log[level](`${text} (${more} more)`),
    )
  }

  function end(id: number, outcome: EffectOutcome): void {
    const attempt = work.end(id)
    if (attempt === undefined) return
    attempt.settle(outcome)
    ended(attempt)
  }

  function ended(attempt: Attempt): void {
    isolated.noteEnd(attempt, solo && !hasBlocked)
    hasBlocked = false
    settleDown()
    events.onChange()
  }

  function loaded(bundle: string): void {
    const waiting = work.endLoad(bundle, 'loaded')
    if (waiting === undefined) return
    events.onLoaded(bundle)
    for (const attempt of waiting) {
      if (attempt.settled) ended(attempt)
      else beginLoaded(attempt)
    }
  }

  function beginLoaded(attempt: Attempt): void {
    try {
      send(work.begin(attempt))
    } catch (error) {
      attempt.settle(effectsNotRead(attempt.call.name, error))
      ended(attempt)
    }
  }

  function notLoaded(bundle: string, outcome: EffectOutcome): void {
    const waiting = work.endLoad(bundle, 'failed')
    if (waiting === undefined) return
    events.onLoadFailed(bundle, outcome)
    // A module that threw cannot be evaluated again in the same process.
    stage.retire()
    for (const attempt of waiting) {
      attempt.settle(outcome)
      ended(attempt)
    }
  }

  /** `undefined`: it is silent, and nothing says why. */
  function noticeBlocked(culprit: Culprit | undefined): void {
    blocked = { since: blocked?.since ?? heardAt, ...(culprit && { culprit }) }
    hasBlocked = true
    const attempt = culprit?.kind === 'attempt' ? work.attempt(culprit.id) : undefined
    if (attempt !== undefined) isolated.noteBlock(attempt)
    const who = attempt === undefined ? 'code' : `"${attempt.call.name}"`
    hostLog.report(() =>
      writeLine('warn', `effect ${who} blocks its process; other effects go to another`, {
        stack: culprit?.stack ?? '',
      }),
    )
    watch()
    events.onChange()
  }

  function watch(): void {
    if (ticker !== undefined || stage.isKilled) return
    tickedAt = now()
    ticker = setInterval(tick, TICK_MS)
    ticker.unref()
  }

  function tick(): void {
    if (stage.isKilled) return
    const at = now()
    if (at - tickedAt > LATE_TICK_MS) {
      heardAt = at
      readsUntil ??= at + LATE_TICK_MS
    }
    tickedAt = at
    if (readsUntil !== undefined && at < readsUntil) return
    readsUntil = undefined
    const shouldSpeak = hasSpoken && work.occupied > 0
    act(checkHost({ heardAt, shouldSpeak, blocked, ...work.snapshot() }, at, limits))
    if (work.occupied > 0 || blocked !== undefined) return
    clearInterval(ticker)
    ticker = undefined
  }

  function act(verdict: Verdict): void {
    switch (verdict.kind) {
      case 'fine':
        return
      case 'blocked':
        return noticeBlocked(undefined)
      case 'deaf':
        return replaceDeaf(verdict.isSilent)
      case 'overdue':
        for (const id of verdict.ids) giveUp(id)
        return
      case 'load_overdue':
        return notLoaded(verdict.bundle, loadTimedOut(name, limits.loadMs))
      case 'kill':
        return kill(verdict)
    }
  }

  function giveUp(id: number): void {
    const attempt = work.attempt(id)
    if (attempt === undefined) return
    const why = blocked === undefined ? '' : ': its process was blocked by something else'
    send({ kind: 'cancel', id })
    attempt.settle(timedOut(attempt.call.name, attempt.call.timeoutMs, why))
    events.onChange()
  }

  /** Nobody knows which of its attempts did that, so none has failed. Those that it has not heard of begin in another host. */
  function replaceDeaf(isSilent: boolean): void {
    writeLine('warn', 'the effect host does not get any more work; other effects go to another')
    const unheard = work.takeUnheard()
    if (isSilent) {
      stage.noteKill()
      host.kill()
    } else {
      stage.retire()
      settleDown()
    }
    beginElsewhere(unheard, 'gets no more work, because nothing that was sent to it arrived')
    events.onChange()
  }

  function beginElsewhere(attempts: readonly Attempt[], what: string): void {
    for (const attempt of attempts) {
      if (attempt.settled) continue
      if (attempt.interrupt(what)) events.onInterrupted(attempt)
      else attempt.settle(restarted(attempt.call.name, 'its attempts did not begin'))
    }
  }

  function kill(verdict: Kill): void {
    stage.noteKill()
    const blamed = settleKilled(work, verdict, now() - (blocked?.since ?? now()), isolated)
    writeLine('error', `the effect host was killed: ${blamed.name} blocked it`, { stack: verdict.culprit.stack })
    host.kill()
    for (const attempt of blamed.interrupted) events.onInterrupted(attempt)
    events.onChange()
  }

  function onExit(exit: EffectHostExit): void {
    hostLog.close()
    clearInterval(ticker)
    if (stage.end()) failAll(exit)
    events.onGone()
    gone.resolve()
  }

  function failAll(exit: EffectHostExit): void {
    const wanted = work.wanted()
    const printed = hostLog.lastWords()
    const heapLimit = `${limits.heapMb} MB${place.memoryAdvice}`
    const unheard = hasSpoken ? work.takeUnheard() : []
    if (!hasSpoken) {
      const outcome = hostNotStarted(name, exit, printed)
      for (const attempt of wanted) attempt.settle(outcome)
      events.onStartFailed(outcome)
    }
    const interrupted = settleCrashed(work, exit, printed, heapLimit, isolated)
    // Of several that arrive together, one may have begun and ended the process before that was known.
    for (const attempt of unheard) isolated.noteCrash(attempt, false)
    for (const attempt of interrupted) events.onInterrupted(attempt)
    beginElsewhere(unheard, 'ended before this attempt is known to have begun')
    if (exit.code === 0 && wanted.length === 0) return
    const effects = [...new Set(wanted.map(({ call }) => call.name))].slice(0, MOST_NAMED)
    const kind = ['ended', exit.code, exit.signal, ...effects].join(' ')
    writeLine('error', `the effect host ${deathText(exit, printed, heapLimit)}`, { ...exit, effects }, kind)
  }

  function settleDown(): void {
    stage.settleDown(left > MOST_LEFT || work.bundles >= limits.bundlesPerHost)
  }

  return {
    solo,
    get blockedSince() {
      return stage.isKilled ? undefined : blocked?.since
    },
    get accepts() {
      return stage.isOpen && blocked === undefined
    },
    get occupied() {
      return work.occupied
    },
    attempts: work.attempts,
    run: (attempt) => {
      // Count silence from now: a host without work sends nothing.
      if (work.occupied === 0) heardAt = now()
      attempt.call.onBegin?.()
      try {
        send(...work.add(attempt))
      } finally {
        settleDown()
      }
      watch()
    },
    cancel: (attempt) => {
      const id = work.idOf(attempt)
      if (id !== undefined) send({ kind: 'cancel', id })
    },
    isOutdated: () =>
      [...read].some(([file, stamp]) => {
        const current = place.stampOf?.(file)
        // One that is missing is about to be written again.
        return current !== undefined && current !== stamp
      }),
    retire: stage.retire,
    makeWay: stage.makeWay,
    stayOpen: stage.stayOpen,
    killBlocked: () =>
      kill({ kind: 'kill', why: 'others_wait', culprit: blocked?.culprit ?? { kind: 'stray', stack: '' } }),
    status: () => ({
      name,
      pid: host.pid,
      state: blocked !== undefined ? 'blocked' : !stage.isOpen ? 'retiring' : hasSpoken ? 'ready' : 'starting',
      solo,
      underWay: work.occupied,
      ageMs: Math.round(now() - startedAt),
    }),
    stop: () => {
      stage.stop()
      return gone.promise
    },
  }
}

const STRAY = {
  exception: 'an exception was thrown',
  rejection: 'a promise was rejected and not handled',
  exit: 'process.exit was called',
}

const culpritOf = ({ id, bundle, stack }: Extract<FromHost, { kind: 'blocked' }>): Culprit => {
  if (id !== undefined) return { kind: 'attempt', id, stack }
  return bundle === undefined ? { kind: 'stray', stack } : { kind: 'load', bundle, stack }
}
