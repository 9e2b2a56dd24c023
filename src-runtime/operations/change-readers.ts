// The readers of the changes stream. Changes are rendered once for all readers of a project, and sent to a few readers
// at a time. A reader with unread text gets nothing more until it has read that; then it gets what it missed, or a
// `reset`.

import { STREAM_BACKLOG_LIMIT_BYTES } from '../contract/limits.ts'
import type { EventSink } from '../contract/operations.ts'
import { changeText, concerns } from './change-text.ts'
import type { ChangesFeed, PublishedChange } from './create-changes-feed.ts'

export type ChangeReaders = {
  /** Sends the changes after `sequence` until the returned function is called. */
  add(reader: { readonly sink: EventSink; readonly projectId: string | undefined; readonly after: number }): () => void
  /** The events after `sequence`; `reset` when they are no longer kept, or too many to send at once. */
  since(sequence: number | undefined, projectId: string | undefined): string
}

type Reader = {
  readonly sink: EventSink
  readonly projectId: string | undefined
  /** The newest change that was sent. */
  sent: number
  isLagging: boolean
}

/** Readers that are written to before the event loop runs other work. */
const SLICE = 16
/**
 * A socket write takes some microseconds. This pause keeps writes a small part of the time with any number of readers.
 */
const PAUSE_MS_PER_READER = 0.1
/** With fewer readers, changes are sent at once. */
const FEW_READERS = 100

/** What the readers need of a feed of changes. */
export type FollowedFeed = Pick<ChangesFeed, 'idOf' | 'latest' | 'since' | 'subscribe'>

export const createChangeReaders = (changes: FollowedFeed): ChangeReaders => {
  const readers = new Set<Reader>()
  let unsubscribe: (() => void) | undefined
  let isSending = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let begunAt = 0
  let sentUpTo = 0

  const render = (published: readonly PublishedChange[], projectId: string | undefined): string =>
    published
      .filter(({ change }) => concerns(change, projectId))
      .map(({ sequence, change }) => changeText(changes.idOf(sequence), change))
      .join('')

  const since: ChangeReaders['since'] = (sequence, projectId) => {
    const here = `id: ${changes.idOf(changes.latest())}\n`
    const missed = sequence === undefined ? undefined : changes.since(sequence)
    const text = missed === undefined ? undefined : render(missed, projectId)
    if (text === undefined || text.length > STREAM_BACKLOG_LIMIT_BYTES / 2) return `${here}event: reset\ndata: {}\n\n`
    return `${text}${here}\n`
  }

  const write = (reader: Reader, text: string | Uint8Array, upTo: number): void => {
    if (text.length > 0) {
      if (!reader.sink.isReady()) return waitFor(reader)
      reader.sink.write(text)
    }
    reader.sent = upTo
  }

  const waitFor = (reader: Reader): void => {
    reader.isLagging = true
    reader.sink.onDrained(() => {
      reader.isLagging = false
      if (readers.has(reader)) catchUp(reader)
    })
  }

  const catchUp = (reader: Reader): void => {
    const latest = changes.latest()
    if (reader.sent < latest) write(reader, since(reader.sent, reader.projectId), latest)
  }

  const send = (): void => {
    timer = undefined
    const after = sentUpTo
    const upTo = (sentUpTo = changes.latest())
    const published = changes.since(after)
    const texts = new Map<string | undefined, Uint8Array>()
    const textFor = (projectId: string | undefined): Uint8Array => {
      const text = texts.get(projectId) ?? Buffer.from(render(published ?? [], projectId))
      texts.set(projectId, text)
      return text
    }
    const sendTo = (reader: Reader): void => {
      if (!readers.has(reader) || reader.isLagging || reader.sent >= upTo) return
      if (published === undefined || reader.sent !== after) catchUp(reader)
      else write(reader, textFor(reader.projectId), upTo)
    }
    isSending = true
    begunAt = performance.now()
    sendSlice([...readers], 0, sendTo)
  }

  const sendSlice = (all: readonly Reader[], from: number, sendTo: (reader: Reader) => void): void => {
    for (const reader of all.slice(from, from + SLICE)) sendTo(reader)
    if (from + SLICE < all.length) return void setImmediate(sendSlice, all, from + SLICE, sendTo)
    isSending = false
    if (changes.latest() > sentUpTo) schedule()
  }

  const schedule = (): void => {
    if (isSending || timer !== undefined) return
    if (readers.size < FEW_READERS) return send()
    const pause = begunAt + readers.size * PAUSE_MS_PER_READER - performance.now()
    timer = setTimeout(send, Math.max(0, pause))
  }

  return {
    since,
    add({ sink, projectId, after }) {
      const reader: Reader = { sink, projectId, sent: after, isLagging: false }
      if (readers.size === 0) sentUpTo = changes.latest()
      readers.add(reader)
      unsubscribe ??= changes.subscribe(schedule)
      return () => {
        readers.delete(reader)
        if (readers.size > 0) return
        unsubscribe?.()
        unsubscribe = undefined
        clearTimeout(timer)
        timer = undefined
      }
    },
  }
}
