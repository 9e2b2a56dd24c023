// Publishes committed changes to the live stream, and to answers that are held until an Execution ends. Keeps the
// newest changes in a ring, so that a reader who reconnects soon misses nothing. Serializes nothing.

import { isTerminal } from '../engine/journal.ts'
import type { Change } from '../ports/changes.ts'
import { createEndListeners, type EndListeners } from './end-listeners.ts'

/** A change and its place in the order of commits: 1, 2, 3 … within one process. */
export type PublishedChange = { readonly sequence: number; readonly change: Change }

export type ChangesFeed = {
  /** What names a change to readers: they can resume behind it. */
  idOf(sequence: number): string
  /** `undefined` for anything but an id of this feed. */
  sequenceOf(id: string): number | undefined
  /** After the commit, in commit order. */
  publish(changes: readonly Change[]): void
  /** The number of the newest change. */
  latest(): number
  /** The changes after it; undefined when some of them are no longer kept. */
  since(sequence: number): readonly PublishedChange[] | undefined
  /** Calls back after each batch until the function it returns is called. */
  subscribe(listener: () => void): () => void
  /** Calls back once, when the Execution ends or the feed closes; not after the function it returns was called. */
  whenTerminal: EndListeners['add']
  /** Ends all waiting. */
  close(): void
  /** Calls back when the feed closes; at once when it is closed. */
  onClose(listener: () => void): () => void
}

/** `epoch` identifies the process that assigns the numbers. */
export const createChangesFeed = (options: { readonly epoch: string; readonly capacity?: number }): ChangesFeed => {
  const { epoch } = options
  const capacity = options.capacity ?? 8192
  const prefix = `${epoch}:`
  const ring: Change[] = []
  const listeners = new Set<() => void>()
  const ends = createEndListeners()
  const closing = new Set<() => void>()
  let latest = 0
  let closed = false

  return {
    idOf: (sequence) => `${prefix}${sequence}`,
    sequenceOf(id) {
      const sequence = id.startsWith(prefix) ? id.slice(prefix.length) : ''
      return /^\d{1,15}$/.test(sequence) ? Number(sequence) : undefined
    },
    publish(changes) {
      for (const change of changes) {
        latest += 1
        ring[latest % capacity] = change
        if (change.kind === undefined && isTerminal(change.status)) ends.ended(change.key)
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
    whenTerminal: ends.add,
    close() {
      if (closed) return
      closed = true
      ends.close()
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
