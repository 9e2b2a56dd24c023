// What changes mean for rows that are on screen, and what a look at the service's newest rows adds to them. Pure: pages
// in, pages out, and whatever did not change stays the same object.

import { isTerminal } from '../../../api/capabilities.ts'
import type { ExecutionPage, ListedExecution } from '../../../api/executions-query.ts'
import type { LiveChange } from '../../../api/live-changes.ts'

/** By Execution, the newest of each. */
export type Changes = ReadonlyMap<string, LiveChange>

export const newestOf = (changes: readonly LiveChange[]): Changes =>
  new Map(changes.map((change) => [change.executionId, change]))

/** What a change tells by itself. The rest (error, what is awaited) has to be asked for. */
const changed = (row: ListedExecution, change: LiveChange | undefined): ListedExecution => {
  if (change?.deleted === true) return row.gone === true ? row : { ...row, gone: true }
  if (change === undefined || change.status === row.status || isTerminal(row.status)) return row
  const { status, at } = change
  return {
    ...row,
    status,
    ...(status !== 'queued' && row.startedAt === undefined && status !== 'cancelled' && { startedAt: at }),
    ...(status !== 'waiting' && { waitingFor: [] }),
    ...(isTerminal(status) && { finishedAt: at }),
  }
}

const mapRows = (page: ExecutionPage, change: (row: ListedExecution) => ListedExecution): ExecutionPage => {
  let same = true
  const items = page.items.map((row) => {
    const next = change(row)
    same &&= next === row
    return next
  })
  return same ? page : { ...page, items }
}

export const withChanges = (page: ExecutionPage, changes: Changes): ExecutionPage =>
  changes.size === 0 ? page : mapRows(page, (row) => changed(row, changes.get(row.id)))

/** Rows that did not change stay the same objects, wherever they stand: only the others are drawn again. */
export const keepingSame = (before: ExecutionPage | undefined, now: ExecutionPage): ExecutionPage => {
  if (before === undefined) return now
  const known = new Map(before.items.map((row) => [row.id, row]))
  return mapRows(now, (row) => sameOf(known.get(row.id), row))
}

/** Of two that say the same, the one that is there already. */
const sameOf = (before: ListedExecution | undefined, now: ListedExecution): ListedExecution =>
  before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now

/**
 * Brings the rows of a page up to date and leaves them where they are: rows that came are not added, rows that went are
 * marked. `now` begins where the page does or earlier.
 */
export const inPlace = (page: ExecutionPage, now: ExecutionPage): ExecutionPage => {
  const fresh = new Map(now.items.map((row) => [row.id, row]))
  const last = now.items.at(-1)
  const answered = (id: string) => now.nextCursor === null || (last !== undefined && id >= last.id)
  return mapRows(page, (row) => {
    const next = fresh.get(row.id)
    if (next !== undefined) return sameOf(row, next)
    return row.gone === true || !answered(row.id) ? row : { ...row, gone: true }
  })
}

export type News = { readonly count: number; /** There may be more. */ readonly more: boolean }
export const NO_NEWS: News = { count: 0, more: false }

/** How many of the service's first rows are not among those shown, other than because they lie behind them. */
export const newsIn = (shown: ExecutionPage, now: ExecutionPage): News => {
  const known = new Set(shown.items.map(({ id }) => id))
  const last = shown.nextCursor === null ? undefined : shown.items.at(-1)
  const count = now.items.filter(({ id }) => !known.has(id) && (last === undefined || id > last.id)).length
  return { count, more: count > 0 && count === now.items.length && now.nextCursor !== null }
}
