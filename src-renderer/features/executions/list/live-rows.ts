// Applies changes, and newer answers of the service, to the pages on screen. Pure. Rows and pages that did not change
// stay the same objects, so that only the others render again.

import { isTerminal } from '../../../api/capabilities.ts'
import type { ExecutionPage, ListedExecution } from '../../../api/executions-query.ts'
import type { LiveChange } from '../../../api/live-changes.ts'

/** The newest change of each Execution. */
export type Changes = ReadonlyMap<string, LiveChange>

export const newestOf = (changes: readonly LiveChange[]): Changes =>
  new Map(changes.map((change) => [change.executionId, change]))

/** The row with what the change contains. The rest (error, what is awaited) needs a request. */
const changed = (row: ListedExecution, change: LiveChange | undefined): ListedExecution => {
  if (change?.deleted === true) return row.gone === true ? row : { ...row, gone: true }
  if (change === undefined || change.status === row.status || isTerminal(row.status)) return row
  const { status, at } = change
  return {
    ...row,
    status,
    ...(status !== 'queued' && row.startedAt === undefined && status !== 'cancelled' && { startedAt: at }),
    ...(status === 'waiting' ? { unread: true } : { waitingFor: [] }),
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

/** `now`, with the objects of `before` for equal rows. */
export const keepingSame = (before: ExecutionPage | undefined, now: ExecutionPage): ExecutionPage => {
  if (before === undefined) return now
  const known = new Map(before.items.map((row) => [row.id, row]))
  return mapRows(now, (row) => sameOf(known.get(row.id), row))
}

/** `before` if both are equal, else `now`. */
const sameOf = (before: ListedExecution | undefined, now: ListedExecution): ListedExecution =>
  before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now

/**
 * Updates the rows of a page without moving them: new rows are not added, and deleted rows are marked as gone. `now`
 * begins at the page's first row or before it.
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

/** How many of the newest rows are not shown. Rows older than the last one shown do not count. */
export const newsIn = (shown: ExecutionPage, now: ExecutionPage): News => {
  const known = new Set(shown.items.map(({ id }) => id))
  const last = shown.nextCursor === null ? undefined : shown.items.at(-1)
  const count = now.items.filter(({ id }) => !known.has(id) && (last === undefined || id > last.id)).length
  return { count, more: count > 0 && count === now.items.length && now.nextCursor !== null }
}
