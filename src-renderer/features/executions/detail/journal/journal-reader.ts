// Reads a history to its end, page by page, and later what was added since. Cursors are opaque and the last page has
// none, so what comes behind the last known entry is found by asking for the last page again; that page is kept short.

import type { HistoryEntry, List } from '#sdk/index.ts'
import type { Journal } from './journal.ts'

export type ReadPage = (page: { readonly limit: number; readonly cursor: string | null }) => Promise<List<HistoryEntry>>

export type JournalReader = {
  readonly journal: Journal
  /**
   * Settles when all is read that was there at the time of the call. Calls while it reads join it: however fast the
   * history grows, it is read once. After a failure, or when the last caller's signal says that nobody wants it any
   * more, the next call goes on where this one stopped.
   */
  readonly catchUp: (readPage: ReadPage, signal: AbortSignal) => Promise<void>
  /** Stopped because so much was read that going on should be asked for. */
  readonly isPaused: () => boolean
  readonly goOn: () => void
}

const PAGE = 200
/** A page of the end that has grown longer than this is replaced by a shorter one. */
const LONG_TAIL = 32
/** Characters of JSON after which reading pauses: hundreds of large results are rarely what one came for. */
const READ_LIMIT = 128 * 1024 * 1024

export const createJournalReader = (journal: Journal): JournalReader => {
  let cursor: string | null = null
  /** Entries of the page at the cursor that are known. */
  let knownOfPage = 0
  let reading: Promise<void> | undefined
  let askedAgain = false
  let wanted: AbortSignal
  let readLimit = READ_LIMIT
  let read = 0

  const isPaused = () => read >= readLimit

  const readPageAtCursor = async (readPage: ReadPage): Promise<boolean> => {
    // Asking for exactly what is known yields, if there is more, a cursor to what is not.
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
      while (more && !isPaused() && !wanted.aborted) more = await readPageAtCursor(readPage)
      journal.setWhole(!more)
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
    isPaused,
    goOn: () => {
      readLimit = read + READ_LIMIT
    },
  }
}
