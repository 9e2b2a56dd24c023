// The loaded part of an Execution's history. It only grows, so it is changed in place, and a version number tells
// readers of a change. Arrays only grow at their end.

import type { HistoryEntry } from '#sdk/index.ts'
import { type Command, createCommandFold } from './commands.ts'
import { type EntryLine, toLine } from './entry-line.ts'

/** The page that entries came from, to read them again. */
export type PageStart = { readonly first: number; readonly cursor: string | null }

export type Journal = {
  readonly lines: readonly EntryLine[]
  readonly commands: readonly Command[]
  /** The lines of these kinds, in order. */
  readonly moments: Readonly<Record<MomentKind, readonly EntryLine[]>>
  /** Earliest and latest time of any entry; undefined before the first. */
  readonly span: () => { readonly from: number; readonly to: number } | undefined
  readonly lineAt: (position: number) => EntryLine | undefined
  readonly commandOf: (number: number) => Command | undefined
  /** The page that holds a loaded position. */
  readonly pageOf: (position: number) => PageStart | undefined
  /** Adds the entries after the last known position; returns how many were new. */
  readonly append: (entries: readonly HistoryEntry[], cursor: string | null) => number
  /** Whether everything that the service had at the last request is loaded. */
  readonly isWhole: () => boolean
  /** Whether reading has stopped before the end, until the user asks for the rest. */
  readonly isPaused: () => boolean
  readonly setExtent: (extent: Extent) => void
  /** Grows with every change. */
  readonly version: () => number
  readonly subscribe: (listener: () => void) => () => void
}

export type Extent = 'part' | 'paused' | 'whole'

/** Kinds that belong to no command. */
export type MomentKind = 'execution' | 'events' | 'logs'

/** Readers are notified at once, then at most this often: rendering after every page would slow the reading. */
const TELL_EVERY_MS = 100
const TELL_WHILE_READING_MS = 400

export const createJournal = (): Journal => {
  const lines: EntryLine[] = []
  const pages: PageStart[] = []
  const fold = createCommandFold()
  const moments: Record<MomentKind, EntryLine[]> = { execution: [], events: [], logs: [] }
  const tell = createTelling(() => (extent === 'whole' ? TELL_EVERY_MS : TELL_WHILE_READING_MS))
  let span: { readonly from: number; readonly to: number } | undefined
  let extent: Extent = 'part'

  const take = (line: EntryLine) => {
    lines.push(line)
    fold.add(line)
    const kind = MOMENTS[line.type]
    if (kind !== undefined) moments[kind].push(line)
    span =
      span === undefined
        ? { from: line.at, to: line.at }
        : { from: Math.min(span.from, line.at), to: Math.max(span.to, line.at) }
  }

  return {
    lines,
    commands: fold.commands,
    moments,
    span: () => span,
    lineAt: (position) => lines[indexOfKey(lines, position, (line) => line.position)],
    commandOf: (number) => fold.commands[indexOfKey(fold.commands, number, (command) => command.number)],
    pageOf: (position) => pages[lastAtMost(pages, position, (page) => page.first)],
    append(entries, cursor) {
      const known = lines.at(-1)?.position ?? 0
      const fresh = entries.filter((entry) => entry.position > known)
      for (const entry of fresh) take(toLine(entry))
      const first = entries[0]?.position
      if (first !== undefined && first > (pages.at(-1)?.first ?? 0)) pages.push({ first, cursor })
      if (fresh.length > 0) tell.changed()
      return fresh.length
    },
    isWhole: () => extent === 'whole',
    isPaused: () => extent === 'paused',
    setExtent(next) {
      if (extent === next) return
      extent = next
      tell.now()
    },
    version: tell.version,
    subscribe: tell.subscribe,
  }
}

const MOMENTS: Readonly<Partial<Record<EntryLine['type'], MomentKind>>> = {
  execution_started: 'execution',
  cancel_requested: 'execution',
  execution_completed: 'execution',
  execution_failed: 'execution',
  execution_cancelled: 'execution',
  event_received: 'events',
  log: 'logs',
}

const createTelling = (everyMs: () => number) => {
  const listeners = new Set<() => void>()
  let version = 0
  let told = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  const tell = () => {
    timer = undefined
    told = performance.now()
    version += 1
    for (const listener of listeners) listener()
  }
  return {
    version: () => version,
    now: () => {
      clearTimeout(timer)
      tell()
    },
    changed: () => {
      if (timer !== undefined) return
      const wait = told + everyMs() - performance.now()
      if (wait <= 0) return tell()
      timer = setTimeout(tell, wait)
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** The index of the last item whose key is at most `key`, or -1. Items are sorted by key. */
export const lastAtMost = <Item>(items: readonly Item[], key: number, keyOf: (item: Item) => number): number => {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (keyOf(items[middle]!) <= key) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The index of the item with this key, or -1. */
export const indexOfKey = <Item>(items: readonly Item[], key: number, keyOf: (item: Item) => number): number => {
  const index = lastAtMost(items, key, keyOf)
  return index >= 0 && keyOf(items[index]!) === key ? index : -1
}
