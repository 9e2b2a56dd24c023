// The runtime's changes as they happen, for everything on the page that shows them: one stream, batches of what
// changed, and whether the stream is up. Where a server has no stream it asks for a refresh now and then instead.

import type { ExecutionChange } from '#sdk/index.ts'
import { failureOf } from './failures.ts'
import type { Scope } from './scope.ts'

/** `polling`: the server has no stream. `lost`: nothing answers; it is tried again until something does. */
export type Liveness = 'connecting' | 'live' | 'polling' | 'lost'

export type LiveChanges = {
  readonly liveness: () => Liveness
  readonly onLiveness: (listener: () => void) => () => void
  /** Hears what changed, at most every 50 ms; an empty batch means that anything may have changed. */
  readonly onChanges: (listener: (changes: readonly ExecutionChange[]) => void) => () => void
  readonly start: () => void
  readonly stop: () => void
}

const BATCH_MS = 50
/** That anything may have changed is not told more often: everything on screen is asked for again. */
const ANYTHING_MS = 500
/** By then the first screen, which was read while the stream was opened, is drawn. */
const FIRST_LOOK_MS = 1_000
const POLL_MS = 3_000
/** After the service refused or failed to stream, which says nothing about when it will. */
const RETRY_MS = 2_000

export const createLiveChanges = (scope: Scope): LiveChanges => {
  const livenessListeners = new Set<() => void>()
  const changeListeners = new Set<(changes: readonly ExecutionChange[]) => void>()
  let liveness: Liveness = 'connecting'
  let running: AbortController | undefined
  let batch: ExecutionChange[] = []
  let flushing: ReturnType<typeof setTimeout> | undefined
  let tellingAnything: ReturnType<typeof setTimeout> | undefined
  let toldAnythingAt = Number.NEGATIVE_INFINITY

  const become = (next: Liveness) => {
    if (liveness === next) return
    liveness = next
    for (const listener of livenessListeners) listener()
  }
  const tell = (changes: readonly ExecutionChange[]) => {
    for (const listener of changeListeners) listener(changes)
  }
  const flush = () => {
    const changes = batch
    batch = []
    flushing = undefined
    tell(changes)
  }
  const hear = (change: ExecutionChange) => {
    batch.push(change)
    flushing ??= setTimeout(flush, BATCH_MS)
  }

  /** Something is gone, or was missed; thousands may be at a time. */
  const hearAnything = (afterMs = BATCH_MS) => {
    const pauseMs = Math.max(afterMs, toldAnythingAt + ANYTHING_MS - performance.now())
    tellingAnything ??= setTimeout(() => {
      tellingAnything = undefined
      toldAnythingAt = performance.now()
      tell([])
    }, pauseMs)
  }

  const follow = async (signal: AbortSignal): Promise<void> => {
    const onOpen = () => {
      const isFirst = liveness === 'connecting'
      become('live')
      // Whatever happened while nobody listened: at first, next to nothing.
      if (isFirst) hearAnything(FIRST_LOOK_MS)
      else tell([])
    }
    const onLost = () => become('lost')
    while (!signal.aborted) {
      try {
        for await (const message of scope.client.streamChanges({ signal, onOpen, onLost })) {
          if (message.kind === 'change') hear(message.change)
          else hearAnything()
        }
      } catch (error) {
        if (signal.aborted) return
        if (failureOf(error).kind === 'unsupported') return poll(signal)
        become('lost')
      }
      await pause(RETRY_MS, signal)
    }
  }

  const poll = async (signal: AbortSignal): Promise<void> => {
    become('polling')
    while (!signal.aborted) {
      await pause(POLL_MS, signal)
      if (!signal.aborted) tell([])
    }
  }

  return {
    liveness: () => liveness,
    onLiveness: (listener) => {
      livenessListeners.add(listener)
      return () => void livenessListeners.delete(listener)
    },
    onChanges: (listener) => {
      changeListeners.add(listener)
      return () => void changeListeners.delete(listener)
    },
    start: () => {
      if (running !== undefined) return
      running = new AbortController()
      void follow(running.signal)
    },
    stop: () => {
      running?.abort()
      running = undefined
      clearTimeout(flushing)
      clearTimeout(tellingAnything)
      flushing = undefined
      tellingAnything = undefined
      batch = []
    },
  }
}

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
