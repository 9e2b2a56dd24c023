// The streams of committed changes that callers of this process follow. A reader that reconnects, or is too slow, gets what
// it missed from the store, so any process may serve it.

import type { EventSink } from '../../src-runtime/contract/operations.ts'
import type { Changes } from '../../src-runtime/ports/changes.ts'
import { changeText, concerns } from '../../src-runtime/operations/change-text.ts'
import type { ChangeMark, ChangeStore, StoredChange } from '../store/store.ts'
import type { ChangeTail } from './change-tail.ts'
import type { Waiters } from './waiters.ts'

export type ChangeStreams = {
  changesOf(workspaceId: string): Changes
  /** Ends all streams. May be called twice. */
  close(): void
}

type Reader = {
  readonly sink: EventSink
  readonly workspaceId: string
  readonly projectId: string | undefined
  /** Everything up to here was written, or does not concern the reader. */
  mark: ChangeMark
  state: 'catching_up' | 'following' | 'left'
}

const PAGE = 500
/** A reader that missed more changes must read everything again. */
const MOST_MISSED_PAGES = 20
/** Readers that are written to before the event loop runs other work. */
const SLICE = 16

export const createChangeStreams = (deps: {
  readonly store: ChangeStore
  readonly tail: ChangeTail
  readonly waiters: Waiters
}): ChangeStreams => {
  const { store, tail, waiters } = deps
  const readers = new Set<Reader>()
  let unfollow: (() => void) | undefined

  const textOf = (reader: Reader, changes: readonly StoredChange[]): string =>
    changes
      .filter((change) => change.workspaceId === reader.workspaceId)
      .filter((change) => store.compare(change.mark, reader.mark) > 0)
      .map((change) => ({ mark: change.mark, change: shown(change) }))
      .filter(({ change }) => concerns(change, reader.projectId))
      .map(({ mark, change }) => changeText(mark, change))
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

  const reset = async (reader: Reader): Promise<void> => {
    const mark = await store.latest()
    if (reader.state === 'left') return
    reader.sink.write(`id: ${mark}\nevent: reset\ndata: {}\n\n`)
    reader.mark = mark
  }

  /** Reads from the store until it meets what the tail passes on. */
  const catchUp = async (reader: Reader): Promise<void> => {
    for (let pages = 0; reader.state === 'catching_up'; pages += 1) {
      const page = pages < MOST_MISSED_PAGES ? await store.after(reader.mark, PAGE) : ({ kind: 'gone' } as const)
      if (page.kind === 'gone') {
        await reset(reader)
        pages = 0
        continue
      }
      if (!write(reader, textOf(reader, page.items), page.mark)) return waitFor(reader)
      if (page.items.length === PAGE) continue
      const told = await tail.mark()
      // From here to the next \`await\`, nothing is told.
      if (reader.state === 'catching_up' && store.compare(told, reader.mark) <= 0) reader.state = 'following'
    }
  }

  const beginCatchUp = (reader: Reader): void => {
    if (reader.state === 'left') return
    reader.state = 'catching_up'
    catchUp(reader).catch(() => reader.sink.end()) // it comes back with the id that it has
  }

  const waitFor = (reader: Reader): void => {
    reader.sink.onDrained(() => beginCatchUp(reader))
  }

  const tell = async (changes: readonly StoredChange[]): Promise<void> => {
    const { mark } = changes.at(-1)!
    let count = 0
    for (const reader of readers) {
      if (reader.state !== 'following') continue
      if (!write(reader, textOf(reader, changes), mark)) {
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
    readers.delete(reader)
    if (readers.size > 0) return
    unfollow?.()
    unfollow = undefined
  }

  const changesOf = (workspaceId: string): Changes => ({
    whenTerminal: waiters.whenTerminal,
    stream: async ({ projectId, lastEventId }) => {
      const mark = lastEventId ?? (await store.latest())
      return (sink) => {
        if (lastEventId === undefined) sink.write(`id: ${mark}\n\n`)
        const reader: Reader = { sink, workspaceId, projectId, mark, state: 'catching_up' }
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
