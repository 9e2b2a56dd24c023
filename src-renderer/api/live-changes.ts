// The runtime's changes as they happen, for everything on the page that shows them: one stream, batches of what
// changed, and whether the stream is up. Where a server has no stream it asks for a refresh now and then instead.

import type { Change } from '#sdk/index.ts'
import { failureOf } from './failures.ts'
import type { Scope } from './scope.ts'

/** `polling`: the server has no stream. `lost`: nothing answers; it is tried again until something does. */
export type Liveness = 'connecting' | 'live' | 'polling' | 'lost'

export type LiveChanges = {
  readonly liveness: () => Liveness
  readonly onLiveness: (listener: () => void) => () => void
  /** Hears what changed, at most every 50 ms; an empty batch means that anything may have changed. */
  readonly onChanges: (listener: (changes: readonly Change[]) => void) => () => void
  readonly start: () => void
  readonly stop: () => void
}

const BATCH_MS = 50
const POLL_MS = 3_000
const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 2_000

export const createLiveChanges = (scope: Scope): LiveChanges => {
  const livenessListeners = new Set<() => void>()
  const changeListeners = new Set<(changes: readonly Change[]) => void>()
  let liveness: Liveness = 'connecting'
  let running: AbortController | undefined
  let batch: Change[] = []
  let flushing: ReturnType<typeof setTimeout> | undefined

  const become = (next: Liveness) => {
    if (liveness === next) return
    liveness = next
    for (const listener of livenessListeners) listener()
  }
  const tell = (changes: readonly Change[]) => {
    for (const listener of changeListeners) listener(changes)
  }
  const flush = () => {
    const changes = batch
    batch = []
    flushing = undefined
    tell(changes)
  }
  const hear = (change: Change) => {
    batch.push(change)
    flushing ??= setTimeout(flush, BATCH_MS)
  }

  const follow = async (signal: AbortSignal): Promise<void> => {
    let retryMs = FIRST_RETRY_MS
    while (!signal.aborted) {
      try {
        const onOpen = () => {
          retryMs = FIRST_RETRY_MS
          become('live')
          // Whatever happened while nobody listened.
          tell([])
        }
        for await (const change of scope.client.streamChanges({ signal, onOpen })) hear(change)
      } catch (error) {
        if (signal.aborted) return
        if (failureOf(error).kind === 'unsupported') return poll(signal)
      }
      if (signal.aborted) return
      become('lost')
      await pause(retryMs, signal)
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
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
      flushing = undefined
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
