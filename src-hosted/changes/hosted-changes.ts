// The streams of committed changes that callers of this process follow. A reader that reconnects, or is too slow, gets what
// it missed from the store, so any process may serve it.

import type { EventSink } from '../../src-runtime/contract/operations.ts'
import type { Changes } from '../../src-runtime/ports/changes.ts'
import { changeText, concerns } from '../../src-runtime/operations/change-text.ts'
import type { ChangeMark, ChangeStore, MarkIds, StoredChange } from '../store/store.ts'
import type { ChangeTail } from './change-tail.ts'
import { createSharedReads } from './shared-reads.ts'
import type { Waiters } from './waiters.ts'

export type ChangeStreams = {
  changesOf(workspaceId: string): Changes
  /** Ends all streams, and further ones at once: their readers come back to another process. May be called twice. */
  close(): void
}

type Reader = {
  readonly sink: EventSink
  readonly workspaceId: string
  readonly projectId: string | undefined
  readonly ids: MarkIds
  /** Everything up to here was written, or does not concern the reader. */
  mark: ChangeMark
  state: 'catching_up' | 'following' | 'left'
  readonly left: AbortController
}

type Missed =
  | { readonly kind: 'gone'; readonly now: ChangeMark }
  | {
      readonly kind: 'changes'
      readonly text: string
      readonly mark: ChangeMark
      readonly readTo: ChangeMark
      readonly isLast: boolean
    }

/** A change, as readers get it. */
type Line = { readonly mark: ChangeMark; readonly text: string }

const PAGE = 500
/** A reader that missed more changes must read everything again. */
const MOST_MISSED_PAGES = 20
/** Of readers that catch up, at once. Sign-in and visits use the same 16 connections. */
const MOST_READS = 4
const MOST_READS_OF_WORKSPACE = 2
/** Readers that are written to before the event loop runs other work. */
const SLICE = 16

export const createChangeStreams = (deps: {
  readonly store: ChangeStore
  readonly tail: ChangeTail
  readonly waiters: Waiters
}): ChangeStreams => {
  const { store, tail, waiters } = deps
  const readers = new Set<Reader>()
  const reads = createSharedReads<Missed>(MOST_READS, MOST_READS_OF_WORKSPACE)
  let unfollow: (() => void) | undefined
  let isClosed = false

  const linesFor = (
    { workspaceId, projectId, ids }: Pick<Reader, 'workspaceId' | 'projectId' | 'ids'>,
    changes: readonly StoredChange[],
  ): readonly Line[] =>
    changes
      .filter((change) => change.workspaceId === workspaceId)
      .map((change) => ({ mark: change.mark, change: shown(change) }))
      .filter(({ change }) => concerns(change, projectId))
      .map(({ mark, change }) => ({ mark, text: changeText(ids.idOf(mark), change) }))

  const textAfter = (mark: ChangeMark, lines: readonly Line[]): string =>
    lines
      .filter((line) => store.compare(line.mark, mark) > 0)
      .map(({ text }) => text)
      .join('')

  /** False: the reader has to read it from the store, once it has read what was written before. */
  const write = (reader: Reader, text: string, mark: ChangeMark): boolean => {
    if (text !== '') {
      if (!reader.sink.isReady()) return false
      reader.sink.write(text)
    }
    // The tail may pass on what it read before the reader did: nothing is written again then.
    if (store.compare(mark, reader.mark) > 0) reader.mark = mark
    return true
  }

  const reset = (reader: Reader, mark: ChangeMark): void => {
    reader.sink.write(`id: ${reader.ids.idOf(mark)}\nevent: reset\ndata: {}\n\n`)
    reader.mark = mark
  }

  const readMissed = (reader: Reader, isTooMuch: boolean): Promise<Missed> => {
    const { workspaceId, projectId, mark } = reader
    const read = async (): Promise<Missed> => {
      const page = isTooMuch ? ({ kind: 'gone' } as const) : await store.after(mark, PAGE)
      if (page.kind === 'gone') return { kind: 'gone', now: await store.latest() }
      const text = textAfter(mark, linesFor(reader, page.items))
      return { kind: 'changes', text, mark: page.mark, readTo: page.readTo, isLast: !page.isMore }
    }
    return reads(
      { workspaceId, key: JSON.stringify([projectId, `${mark.xid}.${mark.seq}`, isTooMuch]) },
      read,
      reader.left.signal,
    )
  }

  /** Reads from the store until it meets what the tail passes on. */
  const catchUp = async (reader: Reader): Promise<void> => {
    for (let pages = 0; reader.state === 'catching_up'; pages += 1) {
      const missed = await readMissed(reader, pages >= MOST_MISSED_PAGES)
      if (reader.left.signal.aborted) return
      if (missed.kind === 'gone') {
        reset(reader, missed.now)
        pages = 0
        continue
      }
      if (!write(reader, missed.text, missed.mark)) return waitFor(reader)
      if (!missed.isLast) continue
      const told = await tail.mark()
      // From here to the next `await`, the tail passes nothing on.
      if (reader.state === 'catching_up' && store.compare(told, missed.readTo) <= 0) reader.state = 'following'
    }
  }

  const beginCatchUp = (reader: Reader): void => {
    if (reader.state === 'left') return
    reader.state = 'catching_up'
    catchUp(reader).catch(() => {
      if (reader.state !== 'left') reader.sink.end() // it comes back with the id that it has
    })
  }

  const waitFor = (reader: Reader): void => {
    reader.sink.onDrained(() => beginCatchUp(reader))
  }

  const tell = async (changes: readonly StoredChange[]): Promise<void> => {
    const { mark } = changes.at(-1)!
    /** Dozens of tabs may follow the same project. */
    const lines = new Map<string, readonly Line[]>()
    let count = 0
    for (const reader of readers) {
      if (reader.state !== 'following') continue
      const key = `${reader.workspaceId} ${reader.projectId}`
      const ofReader = lines.get(key) ?? linesFor(reader, changes)
      lines.set(key, ofReader)
      if (!write(reader, textAfter(reader.mark, ofReader), mark)) {
        reader.state = 'catching_up'
        waitFor(reader)
      }
      if (++count % SLICE === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  const missed = (): void => {
    for (const reader of readers) if (reader.state === 'following') beginCatchUp(reader)
  }

  const leave = (reader: Reader): void => {
    reader.state = 'left'
    reader.left.abort()
    readers.delete(reader)
    if (readers.size > 0) return
    unfollow?.()
    unfollow = undefined
  }

  const changesOf = (workspaceId: string): Changes => ({
    whenTerminal: waiters.whenTerminal,
    stream: async ({ projectId, lastEventId }) => {
      const ids = await store.idsOf(workspaceId)
      const mark = lastEventId === undefined ? await store.latest() : ids.markOf(lastEventId)
      return (sink) => {
        if (lastEventId === undefined) sink.write(`id: ${ids.idOf(mark)}\n\n`)
        if (isClosed) {
          sink.end()
          return () => {}
        }
        const left = new AbortController()
        const reader: Reader = { sink, workspaceId, projectId, ids, mark, state: 'catching_up', left }
        readers.add(reader)
        unfollow ??= tail.follow({ onChanges: tell, onGap: missed })
        beginCatchUp(reader)
        return () => leave(reader)
      }
    },
  })

  return {
    changesOf,
    close: () => {
      isClosed = true
      for (const reader of readers) {
        leave(reader)
        reader.sink.end()
      }
    },
  }
}

const shown = (change: StoredChange): Parameters<typeof changeText>[1] => {
  if (change.kind === 'program') return change
  const { key, executionId, programId, projectId, status, at, deleted } = change
  return { key, executionId, programId, projectId, status, at, ...(deleted && { deleted }) }
}
