// Follows the runtime's changes for the whole page: one stream that delivers changes in batches and says whether it is
// up. While the server has no stream, or other windows have all places for one, listeners are told to refresh now and
// then.

import type { ChangeMessage, ExecutionChange } from '#sdk/index.ts'
import { type Failure, failureOf } from './failures.ts'
import type { Scope } from './scope.ts'
import { lastAnswerAt, serviceNow } from './service-clock.ts'
import type { Leave } from './stream-place.ts'

export type LiveChange = ExecutionChange & { readonly deleted?: true }

export type LiveBatch = {
  readonly executions: readonly LiveChange[]
  /** Programs or their versions changed. */
  readonly programs: boolean
  readonly source: boolean
  /** The disk became full, or has room again. */
  readonly runtime: boolean
  /**
   * Whether anything on screen may be old. `missed`: some changes were missed, perhaps by requests under way, too.
   * `polled`: changes are not followed.
   */
  readonly anything: false | 'missed' | 'polled'
}

const NOTHING: LiveBatch = { executions: [], programs: false, source: false, runtime: false, anything: false }
const MISSED: LiveBatch = { ...NOTHING, anything: 'missed' }
const POLLED: LiveBatch = { ...NOTHING, anything: 'polled' }

/**
 * `polling`: the server has no stream, or no place is left for one. `lost`: nothing answers; the page retries until
 * something does. `refused`: the token or the session is missing or refused; the page retries, because another tab may
 * give one.
 */
export type Liveness = 'connecting' | 'live' | 'polling' | 'lost' | 'refused'

export type LiveChanges = {
  readonly liveness: () => Liveness
  /**
   * The time up to which the screen is up to date; undefined while it still is, or before the first answer. In ms since
   * the epoch.
   */
  readonly lostAt: () => number | undefined
  /** Why, while it is lost or refused, if something said so. */
  readonly problem: () => Failure | undefined
  /** Reconnects a lost stream at once. */
  readonly retry: () => void
  readonly onLiveness: (listener: () => void) => () => void
  /** Subscribes to changes, delivered at most every 50 ms. */
  readonly onChanges: (listener: (batch: LiveBatch) => void) => () => void
  /** Whether the server reports changes of Programs and sources. Older ones do not. */
  readonly tellsPrograms: () => boolean
  readonly start: () => void
  /** Also before the first start, if that comes later than what is on screen. */
  readonly stop: () => void
}

const BATCH_MS = 50
/** The shortest time between two messages that anything may have changed: everything on screen is then read again. */
const ANYTHING_MS = 500
/** By then the first screen, which loads while the stream opens, is drawn. */
const FIRST_LOOK_MS = 1_000
const POLL_MS = 3_000
/** A proxy may have answered in place of the server, so that it has a stream after all. */
const STREAM_AGAIN_MS = 30_000
/** A service that is silent for longer is taken for one that does not answer. */
const ANSWER_MS = 10_000
/** The runtime on this machine is asked for little, which takes it milliseconds. */
const LOCAL_ANSWER_MS = 5_000
/** A limit that runs out later than this was held up. */
const LATE_MS = 1_000
/** Finds a restarted service within a second. */
const RETRY_MS = 600
/** Another machine is asked less often than this one. */
const RETRY_HOSTED_MS = 2_000
/** A service that stays away is asked less often. */
const LONG_GONE_MS = 10 * 60_000
const SELDOM_MS = 5_000

export const createLiveChanges = (scope: Scope, takePlace: () => Promise<Leave | undefined>): LiveChanges => {
  const livenessListeners = new Set<() => void>()
  const changeListeners = new Set<(batch: LiveBatch) => void>()
  let liveness: Liveness = 'connecting'
  let lostAt: number | undefined
  /** When the stream was closed, or not opened yet, until there is one again. */
  let closedAt: number | undefined
  let problem: Failure | undefined
  let triedSince = 0
  let running: AbortController | undefined
  let executions: LiveChange[] = []
  let heard = NOTHING
  let toldPrograms = false
  let flushing: ReturnType<typeof setTimeout> | undefined
  let tellingAnything: ReturnType<typeof setTimeout> | undefined
  let toldAnythingAt = Number.NEGATIVE_INFINITY

  const become = (next: Liveness, why?: Failure) => {
    const isSame = liveness === next && problem?.code === why?.code && problem?.message === why?.message
    if (isSame) return
    if (liveness !== next) change(next)
    problem = why
    for (const listener of livenessListeners) listener()
  }
  const change = (next: Liveness) => {
    if (isAway(next) && !isAway(liveness))
      lostAt = closedAt ?? (liveness === 'connecting' ? undefined : serviceNow(scope.connection))
    if (next === 'lost') triedSince = Date.now()
    liveness = next
  }
  const tell = (batch: LiveBatch) => {
    for (const listener of changeListeners) listener(batch)
  }
  const forget = () => {
    clearTimeout(flushing)
    flushing = undefined
    executions = []
    heard = NOTHING
  }
  const flush = () => {
    const batch = { ...heard, executions }
    forget()
    tell(batch)
  }
  const hear = (change: LiveChange) => {
    executions.push(change)
    flushing ??= setTimeout(flush, BATCH_MS)
  }
  const hearOf = (what: 'programs' | 'source' | 'runtime') => {
    heard = { ...heard, [what]: true }
    if (!toldPrograms && what !== 'runtime') {
      toldPrograms = true
      for (const listener of livenessListeners) listener()
    }
    flushing ??= setTimeout(flush, BATCH_MS)
  }

  const hearAnything = (afterMs = BATCH_MS) => {
    const pauseMs = Math.max(afterMs, toldAnythingAt + ANYTHING_MS - performance.now())
    tellingAnything ??= setTimeout(() => {
      tellingAnything = undefined
      toldAnythingAt = performance.now()
      tell(MISSED)
    }, pauseMs)
  }

  const take = (message: ChangeMessage) => {
    switch (message.kind) {
      case 'change':
        return hear(message.change)
      case 'deleted':
        return hear({ ...message.change, deleted: true })
      case 'program':
        return hearOf('programs')
      case 'source':
        return hearOf('source')
      case 'runtime':
        return hearOf('runtime')
      case 'reset':
        return hearAnything()
    }
  }

  const isLocal = scope.connection.kind === 'local'
  const retryMs = isLocal ? RETRY_MS : RETRY_HOSTED_MS
  const follow = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const leave = await takePlace()
      if (signal.aborted) return leave?.()
      if (leave === undefined) await poll(signal, POLL_MS)
      else if (!(await stream(signal).finally(leave))) await poll(signal, STREAM_AGAIN_MS)
      if (!isAway(liveness)) continue
      const isSeldom = liveness === 'refused' || Date.now() - triedSince > LONG_GONE_MS
      await pause(isSeldom ? SELDOM_MS : retryMs, signal)
    }
  }

  /** Until the stream breaks. False if the server has none. */
  const stream = async (signal: AbortSignal): Promise<boolean> => {
    const attempt = new AbortController()
    // The client itself would retry less and less often.
    const onLost = (error?: unknown) => {
      become('lost', reasonOf(failureOf(error)))
      attempt.abort()
    }
    const until = AbortSignal.any([signal, attempt.signal])
    const onOpen = () => answeredAs('live')
    if (isLocal) void lookWhile(until, attempt)
    try {
      for await (const message of scope.client.streamChanges({ signal: until, onOpen, onLost })) take(message)
    } catch (error) {
      const failure = failureOf(error)
      if (failure.kind === 'unsupported' && !signal.aborted) return false
      if (!until.aborted) goAway(failure)
    } finally {
      attempt.abort()
    }
    return true
  }

  /** The stream of a runtime that is frozen stays open, and is only silent. */
  const lookWhile = async (isFollowed: AbortSignal, attempt: AbortController): Promise<void> => {
    let answeredAt = serviceNow(scope.connection)
    for (;;) {
      await pause(POLL_MS, isFollowed)
      if (isFollowed.aborted) return
      const failure = await ask(isFollowed, LOCAL_ANSWER_MS)
      if (isFollowed.aborted) return
      if (failure?.kind === 'offline') {
        closedAt ??= answeredAt
        goAway(failure)
        return attempt.abort()
      }
      answeredAt = serviceNow(scope.connection)
    }
  }

  /** Why there was no answer, or only a refusal. */
  const ask = async (signal: AbortSignal, limitMs: number): Promise<Failure | undefined> => {
    const askedAt = Date.now()
    const failure = await askOnce(signal, limitMs)
    // This machine slept, or the browser froze the page: the limit ran out before an answer could be heard.
    const stoodStill = failure?.kind === 'offline' && Date.now() - askedAt > limitMs + LATE_MS
    return stoodStill && !signal.aborted ? askOnce(signal, limitMs) : failure
  }

  const askOnce = async (signal: AbortSignal, limitMs: number): Promise<Failure | undefined> => {
    try {
      await scope.until(AbortSignal.any([signal, AbortSignal.timeout(limitMs)])).anyProject.listProjects()
      return undefined
    } catch (error) {
      return failureOf(error)
    }
  }

  /** For so long, or until nothing answers. */
  const poll = async (signal: AbortSignal, forMs: number): Promise<void> => {
    const until = performance.now() + forMs
    do {
      const failure = await ask(signal, ANSWER_MS)
      if (signal.aborted) return
      if (failure !== undefined && meansAway(failure)) return goAway(failure)
      answeredAs('polling')
      await pause(POLL_MS, signal)
    } while (!signal.aborted && performance.now() < until)
  }

  const answeredAs = (next: 'live' | 'polling') => {
    const isFirst = liveness === 'connecting' && closedAt === undefined
    const isPoll = liveness === 'polling' && next === 'polling'
    closedAt = undefined
    become(next)
    // Changes may have been missed before; at first, next to none.
    if (isFirst) hearAnything(FIRST_LOOK_MS)
    else tell(isPoll ? POLLED : MISSED)
  }
  const goAway = (failure: Failure) => become(REFUSALS.has(failure.code) ? 'refused' : 'lost', reasonOf(failure))

  const start = () => {
    if (running !== undefined) return
    running = new AbortController()
    void follow(running.signal)
  }
  const stop = () => {
    if (!isAway(liveness)) closedAt ??= serviceNow(scope.connection)
    running?.abort()
    running = undefined
    forget()
    clearTimeout(tellingAnything)
    tellingAnything = undefined
  }

  return {
    liveness: () => liveness,
    // What is on screen may have been read although no stream was ever open.
    lostAt: () => (isAway(liveness) ? (lostAt ?? lastAnswerAt(scope.connection)) : undefined),
    problem: () => (isAway(liveness) ? problem : undefined),
    retry: () => {
      if (!isAway(liveness) || running === undefined) return
      stop()
      start()
    },
    onLiveness: (listener) => {
      livenessListeners.add(listener)
      return () => void livenessListeners.delete(listener)
    },
    onChanges: (listener) => {
      changeListeners.add(listener)
      return () => void changeListeners.delete(listener)
    },
    tellsPrograms: () => toldPrograms,
    start,
    stop,
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['unauthorized', 'token_missing', 'session_required'])

/** undefined for a connection that broke: nothing said why. */
const reasonOf = (failure: Failure): Failure | undefined =>
  failure.kind === 'broken' && failure.status === 0 ? undefined : failure

const meansAway = ({ kind, code }: Failure): boolean => kind === 'offline' || kind === 'broken' || REFUSALS.has(code)

const isAway = (liveness: Liveness): boolean => liveness === 'lost' || liveness === 'refused'

const pause = (durationMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, durationMs)
    signal.addEventListener('abort', done)
  })
