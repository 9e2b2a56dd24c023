// The runtime's side of one effect host: what was sent and received, and when the host last answered. It reports what
// happened; folder-hosts.ts decides what follows for other attempts and hosts.

import type { Logger } from 'pino'
import type { Attempt } from './attempt.ts'
import type { IndexedBundle } from './bundle-index.ts'
import type { EffectHostLimits } from './effect-host-limits.ts'
import type { EffectOutcome } from './effect-performer.ts'
import { loadFailed } from './failures.ts'
import { createHostLog } from './host-log.ts'
import type { Culprit, HostSnapshot } from './check-host.ts'
import { readFromHost, type FromHost, type ToHost } from './messages.ts'
import type { EffectHostExit, EffectHostProcess, SpawnEffectHost } from './spawn-effect-host.ts'

export type EffectHostLink = {
  readonly pid: number | undefined
  readonly startedAt: number
  /** It has sent a message, so it runs. */
  readonly hasSpoken: boolean
  /** Attempts in the host: running or waiting for a load, wanted or not. */
  readonly occupied: number
  readonly bundles: number
  /** Number of ended attempts whose code still runs. */
  readonly left: number
  readonly blockedSince: number | undefined
  snapshot(): HostSnapshot
  run(attempt: Attempt): void
  /** Whether the attempt is in this host. */
  cancel(attempt: Attempt): boolean
  /** The wanted attempt of that number. */
  attempt(id: number): Attempt | undefined
  /** Gives up a load that does not end: attempts that wait for it fail. */
  giveUpLoad(bundle: string, outcome: EffectOutcome): void
  /** Ignores the silence until now, because the runtime itself was busy. */
  excuse(now: number): void
  markBlocked(): void
  /** All wanted attempts that are in it. */
  wanted(): readonly Attempt[]
  lastWords(): string
  stop(): void
  kill(): void
}

export type EffectHostLinkEvents = {
  /** An attempt ended. */
  onEnded(attempt: Attempt): void
  onLoadFailed(bundle: string, outcome: EffectOutcome): void
  onLoaded(bundle: string): void
  onBlocked(culprit: Culprit): void
  onUnblocked(): void
  onStray(stray: Extract<FromHost, { kind: 'stray' }>): void
  onExit(exit: EffectHostExit): void
}

type UnderWay = { readonly attempt: Attempt; readonly sentAt: number }
type Load = { readonly sentAt: number; state: 'loading' | 'loaded' | 'failed'; readonly waiting: Attempt[] }

export const createEffectHostLink = (
  deps: {
    readonly spawn: SpawnEffectHost
    readonly folder: string
    readonly environment: Readonly<Record<string, string>>
    readonly limits: EffectHostLimits
    readonly log: Logger
    readonly now: () => number
  },
  events: EffectHostLinkEvents,
): EffectHostLink => {
  const { spawn, folder, environment, limits, log, now } = deps
  const underWay = new Map<number, UnderWay>()
  const idOf = new Map<Attempt, number>()
  const loads = new Map<string, Load>()
  const hostLog = createHostLog(log, folder, now)
  const startedAt = now()
  let waiting = 0
  let lastId = 0
  let left = 0
  let heardAt = startedAt
  let hasSpoken = false
  let blocked: { readonly since: number; readonly culprit?: Culprit } | undefined
  let outbox: ToHost[] = []

  const host: EffectHostProcess = spawn(
    { folder, environment, heapMb: limits.heapMb },
    {
      onMessage: (message) => hear(readFromHost(message)),
      onOutput: (stream, text) => hostLog.print(stream, text),
      onExit: (exit) => {
        hostLog.close()
        events.onExit(exit)
      },
    },
  )
  send({ kind: 'begin', folder, limits })

  function send(message: ToHost): void {
    if (outbox.length === 0) setImmediate(flush)
    outbox.push(message)
  }

  function flush(): void {
    const batch = outbox
    outbox = []
    host.send(batch)
  }

  function hear(batch: readonly FromHost[]): void {
    if (batch.length === 0) return
    heardAt = now()
    hasSpoken = true
    for (const message of batch) handle(message)
    if (blocked !== undefined && batch.every(({ kind }) => kind !== 'blocked')) {
      blocked = undefined
      events.onUnblocked()
    }
  }

  function handle(message: FromHost): void {
    switch (message.kind) {
      case 'completed':
        end(message.id, (attempt) => attempt.settle({ kind: 'completed', data: message.data }))
        return
      case 'failed': {
        const { error, retryable } = message
        end(message.id, (attempt) => attempt.settle({ kind: 'failed', error, retryable }))
        return
      }
      case 'log': {
        const attempt = underWay.get(message.id)?.attempt
        if (attempt?.settled === false) attempt.call.onLog({ level: message.level, message: message.message })
        return
      }
      case 'beat':
        left = message.left
        return
      case 'loaded':
        loaded(message.bundle)
        return
      case 'load_failed':
        notLoaded(message.bundle, loadFailed(folder, message.error))
        return
      case 'blocked':
        block(culpritOf(message))
        return
      case 'stray':
        events.onStray(message)
    }
  }

  function end(id: number, settle: (attempt: Attempt) => void): void {
    const attempt = underWay.get(id)?.attempt
    if (attempt === undefined) return
    underWay.delete(id)
    idOf.delete(attempt)
    settle(attempt)
    events.onEnded(attempt)
  }

  function loaded(bundle: string): void {
    const load = loads.get(bundle)
    if (load?.state !== 'loading') return
    load.state = 'loaded'
    events.onLoaded(bundle)
    for (const attempt of takeWaiting(load)) {
      if (attempt.settled) events.onEnded(attempt)
      else call(attempt)
    }
  }

  function notLoaded(bundle: string, outcome: EffectOutcome): void {
    const load = loads.get(bundle)
    if (load?.state !== 'loading') return
    load.state = 'failed'
    events.onLoadFailed(bundle, outcome)
    for (const attempt of takeWaiting(load)) {
      attempt.settle(outcome)
      events.onEnded(attempt)
    }
  }

  function takeWaiting(load: Load): readonly Attempt[] {
    waiting -= load.waiting.length
    return load.waiting.splice(0)
  }

  function block(culprit: Culprit | undefined): void {
    blocked = { since: blocked?.since ?? heardAt, ...(culprit && { culprit }) }
    if (culprit !== undefined) events.onBlocked(culprit)
  }

  function call(attempt: Attempt): void {
    lastId += 1
    const { executionId, name, attempt: number, idempotencyKey, data, timeoutMs } = attempt.call
    underWay.set(lastId, { attempt, sentAt: now() })
    idOf.set(attempt, lastId)
    const bundle = attempt.bundle.digest
    send({ kind: 'call', id: lastId, bundle, name, executionId, attempt: number, idempotencyKey, data, timeoutMs })
  }

  function load({ digest, load: read }: IndexedBundle): Load {
    const { code, sourceMap } = read()
    const started: Load = { sentAt: now(), state: 'loading', waiting: [] }
    loads.set(digest, started)
    send({ kind: 'load', bundle: digest, code, ...(sourceMap !== undefined && { sourceMap }) })
    return started
  }

  return {
    get pid() {
      return host.pid
    },
    startedAt,
    get hasSpoken() {
      return hasSpoken
    },
    get occupied() {
      return underWay.size + waiting
    },
    get bundles() {
      return loads.size
    },
    get left() {
      return left
    },
    get blockedSince() {
      return blocked?.since
    },
    snapshot: () => ({
      heardAt,
      shouldSpeak: hasSpoken && underWay.size + waiting > 0,
      blocked,
      attempts: [...underWay].map(([id, { attempt, sentAt }]) => ({
        id,
        sentAt,
        timeoutMs: attempt.call.timeoutMs,
        wanted: !attempt.settled,
      })),
      loads: [...loads]
        .filter(([, { state }]) => state === 'loading')
        .map(([bundle, { sentAt }]) => ({ bundle, sentAt })),
      waiting,
    }),
    run: (attempt) => {
      // Count silence from now: a host without work sends nothing.
      if (underWay.size + waiting === 0) heardAt = now()
      attempt.call.onBegin?.()
      const bundle = loads.get(attempt.bundle.digest) ?? load(attempt.bundle)
      if (bundle.state === 'loaded') return call(attempt)
      bundle.waiting.push(attempt)
      waiting += 1
    },
    cancel: (attempt) => {
      const id = idOf.get(attempt)
      if (id === undefined) return false
      send({ kind: 'cancel', id })
      return true
    },
    attempt: (id) => underWay.get(id)?.attempt,
    giveUpLoad: notLoaded,
    excuse: (at) => {
      heardAt = at
    },
    markBlocked: () => block(undefined),
    wanted: () => {
      const waitingAttempts = [...loads.values()].flatMap((bundle) => bundle.waiting)
      return [...[...underWay.values()].map(({ attempt }) => attempt), ...waitingAttempts].filter(
        ({ settled }) => !settled,
      )
    },
    lastWords: hostLog.lastWords,
    stop: () => send({ kind: 'stop' }),
    kill: () => host.kill(),
  }
}

const culpritOf = ({ id, bundle, stack }: Extract<FromHost, { kind: 'blocked' }>): Culprit => {
  if (id !== undefined) return { kind: 'attempt', id, stack }
  return bundle === undefined ? { kind: 'stray', stack } : { kind: 'load', bundle, stack }
}
