// Finds lines by text. Lines in memory are searched at once; entries that were too large to keep are read again, page
// by page.

import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import type { EntryLine } from '../journal/entry-line.ts'
import { type JournalView, useWholeEntries } from '../journal/journal-query.ts'

export type TextSearch = {
  /** undefined without a search text. */
  readonly matches: ((line: EntryLine) => boolean) | undefined
  /** The number of large entries still to read. */
  readonly unread: number
  readonly failed: boolean
}

/** Progress is updated once per this many entries. */
const TOLD_EACH = 200

type Found = {
  readonly query: string
  readonly read: ReadonlySet<number>
  readonly matching: ReadonlySet<number>
  readonly failed: boolean
  /** Counts completed searches; new entries may have arrived since. */
  readonly rounds: number
}

const NOTHING: Omit<Found, 'query'> = { read: new Set(), matching: new Set(), failed: false, rounds: 0 }

export const useTextSearch = (executionId: string, { journal, version }: JournalView, text: string): TextSearch => {
  const query = text.trim().toLowerCase()
  const [found, setFound] = useState<Found>({ query: '', ...NOTHING })
  const current = found.query === query ? found : { query, ...NOTHING }
  const large = useMemo(
    () => (query === '' ? [] : journal.lines.filter((line) => line.text === undefined).map(({ position }) => position)),
    // oxlint-disable-next-line react/exhaustive-deps -- the journal is changed in place; its version says when
    [journal, version, query],
  )
  const unread = large.filter((position) => !current.read.has(position))
  const readWhole = useWholeEntries(executionId, journal)

  const readUnread = useEffectEvent(async (signal: AbortSignal) => {
    const read = new Set(current.read)
    const matching = new Set(current.matching)
    const tell = (how: Pick<Found, 'failed' | 'rounds'>) =>
      setFound({ query, read: new Set(read), matching: new Set(matching), ...how })
    try {
      for await (const entry of readWhole(unread)) {
        if (signal.aborted) return
        read.add(entry.position)
        if (JSON.stringify(entry).toLowerCase().includes(query)) matching.add(entry.position)
        if (read.size % TOLD_EACH === 0) tell({ failed: false, rounds: current.rounds })
      }
      tell({ failed: false, rounds: current.rounds + 1 })
    } catch {
      if (!signal.aborted) tell({ failed: true, rounds: current.rounds + 1 })
    }
  })
  const hasUnread = unread.length > 0 && !current.failed
  useEffect(() => {
    if (!hasUnread) return undefined
    const controller = new AbortController()
    void readUnread(controller.signal)
    return () => controller.abort()
  }, [query, hasUnread, current.rounds])

  const { matching } = current
  const matches = useMemo(
    () => (query === '' ? undefined : (line: EntryLine) => contains(line, query) || matching.has(line.position)),
    [query, matching],
  )
  return { matches, unread: unread.length, failed: current.failed }
}

const contains = (line: EntryLine, query: string): boolean =>
  line.summary.toLowerCase().includes(query) ||
  line.type.includes(query) ||
  (line.name?.toLowerCase().includes(query) ?? false) ||
  (line.text?.toLowerCase().includes(query) ?? false)
