// Publishes committed changes to the live stream, and to answers that are held until an Execution ends. Keeps the
// newest changes in a ring, so that a reader who reconnects soon misses nothing. Serializes nothing.

import { isTerminal, type Status } from '../engine/journal.ts'

export type ExecutionChange = {
  readonly kind?: undefined
  readonly key: number
  readonly executionId: string
  readonly programId: string
  readonly projectId: string
  readonly status: Status
  /** ms since the epoch */
  readonly at: number
  /** The Execution was deleted; `status` was its last. */
  readonly deleted?: true
}

/** A version of the Program was stored or removed, or the Program can be started now, or no longer. */
export type ProgramChange = {
  readonly kind: 'program'
  readonly programId: string
  readonly projectId: string
  readonly versionNumber: number
  /** ms since the epoch */
  readonly at: number
}

/** The answer of `GET /v1/source` has changed. */
export type SourceChange = { readonly kind: 'source' }

export type Change = ExecutionChange | ProgramChange | SourceChange

/** A change and its place in the order of commits: 1, 2, 3 … within one process. */
export type PublishedChange = { readonly sequence: number; readonly change: Change }

export type ChangesFeed = {
  /** Identifies the process that assigned the numbers. */
  readonly epoch: string
  /** After the commit, in commit order. */
  publish(changes: readonly Change[]): void
  /** The number of the newest change. */
  latest(): number
  /** The changes after it; undefined when some of them are no longer kept. */
  since(sequence: number): readonly PublishedChange[] | undefined
  /** Calls back after each batch until the function it returns is called. */
  subscribe(listener: () => void): () => void
  /** Calls back once, when the Execution ends or the feed closes; not after the function it returns was called. */
  whenTerminal(key: number, listener: () => void): () => void
  /** Ends all waiting. */
  close(): void
  /** Calls back when the feed closes; at once when it is closed. */
  onClose(listener: () => void): () => void
}

export const createChangesFeed = (options: { readonly epoch: string; readonly capacity?: number }): ChangesFeed => {
  const capacity = options.capacity ?? 8192
  const ring: Change[] = []
  const listeners = new Set<() => void>()
  const waiting = new Map<number, Set<() => void>>()
  const closing = new Set<() => void>()
  let latest = 0
  let closed = false

  const release = (key: number) => {
    const released = waiting.get(key)
    if (released === undefined) return
    waiting.delete(key)
    for (const listener of released) listener()
  }

  return {
    epoch: options.epoch,
    publish(changes) {
      for (const change of changes) {
        latest += 1
        ring[latest % capacity] = change
        if (change.kind === undefined && isTerminal(change.status)) release(change.key)
      }
      if (changes.length > 0) for (const listener of listeners) listener()
    },
    latest: () => latest,
    since(sequence) {
      if (sequence > latest || sequence < latest - capacity) return undefined
      const missed: PublishedChange[] = []
      for (let next = sequence + 1; next <= latest; next += 1) {
        missed.push({ sequence: next, change: ring[next % capacity]! })
      }
      return missed
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    whenTerminal(key, listener) {
      if (closed) {
        listener()
        return () => {}
      }
      const others = waiting.get(key) ?? new Set()
      waiting.set(key, others.add(listener))
      return () => {
        others.delete(listener)
        if (others.size === 0 && waiting.get(key) === others) waiting.delete(key)
      }
    },
    close() {
      if (closed) return
      closed = true
      for (const key of [...waiting.keys()]) release(key)
      for (const listener of closing) listener()
      closing.clear()
      listeners.clear()
    },
    onClose(listener) {
      if (closed) listener()
      else closing.add(listener)
      return () => void closing.delete(listener)
    },
  }
}
