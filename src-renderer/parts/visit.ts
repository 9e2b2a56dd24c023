// What a list restores when the user returns to it by Back or Forward, or reloads the page: its scroll position, the row
// that keys act on, and the selection. A visit is an entry of the browser's history; a link may name an earlier one.

import { type HistoryState, useMatch, useRouterState } from '@tanstack/react-router'
import type { VirtualItem } from '@tanstack/react-virtual'
import { useMemo, useState } from 'react'
import { keptUnder } from '../stores/kept-under.ts'

declare module '@tanstack/history' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface merges with the library's
  interface HistoryState {
    /** The visit that this entry of the history continues. */
    visit?: string | undefined
  }
}

type Kept = {
  readonly offset?: number
  /** The measured rows, of a list whose rows differ in height. */
  readonly rows?: VirtualItem[]
  /** How many rows the list had. */
  readonly count?: number
  /** The row that keys act on. */
  readonly at?: { readonly row: number; readonly id: string | undefined } | undefined
  readonly selection?: 'all' | readonly string[]
}

export type Visit = {
  readonly key: string
  readonly kept: () => Kept
  readonly keep: (part: Kept) => void
}

const STORED_AS = 'wes-visits'
const MOST_KEPT = 50
const NOTHING: Kept = {}

const readStored = (): Map<string, Kept> => {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORED_AS) ?? '[]')
    return new Map(stored as [string, Kept][])
  } catch {
    return new Map()
  }
}

/** The latest comes last. */
const visits = readStored()

// For a reload. The tab's storage holds nothing of other tabs.
window.addEventListener('pagehide', () => {
  try {
    sessionStorage.setItem(STORED_AS, JSON.stringify([...visits]))
  } catch {
    sessionStorage.removeItem(STORED_AS) // too large
  }
})

const keep = (key: string, part: Kept): void => {
  const now = { ...visits.get(key), ...part }
  visits.delete(key)
  visits.set(key, now)
  const [oldest] = visits.keys()
  if (visits.size > MOST_KEPT && oldest !== undefined) visits.delete(oldest)
}

export const forgetVisits = (): void => visits.clear()

const keyOf = (visit: string, list: string): string => `${visit} ${keptUnder(list)}`

const visitUnder = (key: string): Visit => ({
  key,
  kept: () => visits.get(key) ?? NOTHING,
  keep: (part) => keep(key, part),
})

type EntryState = HistoryState & { readonly __TSR_key?: string | undefined }

const entryOf = ({ visit, __TSR_key }: EntryState): string => visit ?? __TSR_key ?? ''

/** Of an entry of the history, by its state. */
export const visitOf = (state: EntryState, list: string): Visit => visitUnder(keyOf(entryOf(state), list))

/** `list`: tells it from other lists that the same entry of the history may show. */
export const useVisit = (list: string): Visit => {
  const shown = useMatch({ strict: false, select: ({ pathname }) => pathname })
  // While another screen loads, the address is already that screen's.
  const entry = useRouterState({
    select: ({ location: { pathname, state } }) => (pathname === shown ? entryOf(state) : undefined),
  })
  const [last, setLast] = useState(entry ?? '')
  if (entry !== undefined && entry !== last) setLast(entry)
  const key = keyOf(entry ?? last, list)
  return useMemo(() => visitUnder(key), [key])
}

/** For the state of a navigation that replaces this entry of the history, but continues its visit. */
export const continued = ({ visit, __TSR_key }: EntryState): HistoryState => ({ visit: visit ?? __TSR_key })

/** The state of a link that leads back to where the user last left a list. */
export const latestVisit = (list: string): { readonly visit?: string } => {
  const key = [...visits.keys()].findLast((one) => one.endsWith(keyOf('', list)))
  return key === undefined ? {} : { visit: key.slice(0, key.indexOf(' ')) }
}
