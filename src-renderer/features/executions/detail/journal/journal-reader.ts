// Reads a history to its end, page by page, and later the new entries. Cursors are opaque and the last page has none,
// so new entries are found by reading the last page again; that page is kept short.

import type { HistoryEntry, List } from '#sdk/index.ts'
import type { Journal } from './journal.ts'

export type ReadPage = (page: { readonly limit: number; readonly cursor: string | null }) => Promise<List<HistoryEntry>>

export type JournalReader = {
  readonly journal: Journal
  /**
   * Settles when everything is read that existed at the time of the call. Calls during a read join it, so that a
   * history is read once however fast it grows. After a failure, or when the last caller aborts, the next call
   * continues where this one stopped.
   */
  readonly catchUp: (readPage: ReadPage, signal: AbortSignal) => Promise<void>
  /** For a journal that is paused: after so much data the user should decide whether to continue. */
  readonly goOn: () => void
}

const PAGE = 200
/** A last page that has grown longer than this is replaced by a shorter one. */
const LONG_TAIL = 32
/** Reading pauses after this many characters of JSON: users rarely want hundreds of large results. */
const READ_LIMIT = 128 * 1024 * 1024

export const createJournalReader = (journal: Journal): JournalReader => {
  let cursor: string | null = null
  /** How many entries of the page at the cursor are known. */
  let knownOfPage = 0
  let reading: Promise<void> | undefined
  let askedAgain = false
  let wanted: AbortSignal
  let readLimit = READ_LIMIT
  let read = 0

  const isEnough = () => read >= readLimit

  const readPageAtCursor = async (readPage: ReadPage): Promise<boolean> => {
    // A page of exactly the known entries has a cursor when there are more.
    const limit = knownOfPage > LONG_TAIL ? knownOfPage : PAGE
    const { items, nextCursor } = await readPage({ limit, cursor })
    const before = journal.lines.length
    journal.append(items, cursor)
    for (let index = before; index < journal.lines.length; index += 1) read += journal.lines[index]!.size
    knownOfPage = nextCursor === null ? items.length : 0
    cursor = nextCursor ?? cursor
    return nextCursor !== null
  }

  const readToEnd = async (readPage: ReadPage): Promise<void> => {
    do {
      askedAgain = false
      let more = true
      while (more && !isEnough() && !wanted.aborted) more = await readPageAtCursor(readPage)
      journal.setExtent(more ? (isEnough() ? 'paused' : 'part') : 'whole')
    } while (askedAgain && !wanted.aborted)
  }

  return {
    journal,
    catchUp(readPage, signal) {
      wanted = signal
      askedAgain = true
      reading ??= readToEnd(readPage).finally(() => {
        reading = undefined
      })
      return reading
    },
    goOn: () => {
      readLimit = read + READ_LIMIT
      journal.setExtent('part')
    },
  }
}
