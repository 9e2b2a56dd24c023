// Finds the keys of Executions that were created in a span of time. Keys grow with creation, so a binary search over
// the rows is enough, without an index that each start would have to write. When the clock was set back by more than
// the tolerance, a new run begins and is recorded in `clock_runs`.

import type Database from 'better-sqlite3'
import { prepare } from './prepare.ts'
import type { Span } from './slices.ts'

/**
 * How much earlier than an older row's a `created_at` may be within a run, because requests may overtake each other.
 */
const TOLERANCE_MS = 2_000

/** Both exclusive. */
export type TimeSpan = { readonly after: number; readonly before: number }

export type Timeline = {
  /** Call it with every new row, in the same transaction. `idTime`: the time in its id, if it has one. */
  readonly note: (key: number, createdAt: number, idTime: number | undefined) => void
  /** After a rollback. */
  readonly forget: () => void
  /** From the first key that could match up to the first one above that could not. */
  readonly createdWithin: (span: TimeSpan) => Span
  /** Keys of which every one matches, ascending; a few that match are missing. */
  readonly surelyCreatedWithin: (span: TimeSpan) => readonly Span[]
  /** `createdWithin` by the time in the ids. */
  readonly idsWithin: (span: TimeSpan) => Span
}

type Run = { readonly firstKey: number; readonly idsFollow: boolean }
type Row = { readonly key: number; readonly createdAt: number }

export const createTimeline = (db: Database.Database): Timeline => {
  const insertRun = prepare(db, 'INSERT OR REPLACE INTO clock_runs (first_key, ids_follow) VALUES (?, ?)')
  const selectRuns = prepare<[], { firstKey: number; idsFollow: number }>(
    db,
    'SELECT first_key AS firstKey, ids_follow AS idsFollow FROM clock_runs ORDER BY first_key',
  )
  const atOrAbove = prepare<[number, number], Row>(
    db,
    'SELECT key, created_at AS createdAt FROM executions WHERE key >= ? AND key < ? ORDER BY key LIMIT 1',
  )
  const newestBelow = prepare<[number], Row>(
    db,
    'SELECT key, created_at AS createdAt FROM executions WHERE key < ? ORDER BY key DESC LIMIT 1',
  )

  let runs: Run[] | undefined
  /** No row of the newest run was created later than this. */
  let latest = 0

  /** `nextKey`: of the row that is to be noted, which is stored already. */
  const load = (nextKey: number): Run[] => {
    const stored = selectRuns.all().map((run) => ({ firstKey: run.firstKey, idsFollow: run.idsFollow === 1 }))
    const last = newestBelow.get(nextKey)
    latest = last === undefined ? Number.NEGATIVE_INFINITY : last.createdAt + TOLERANCE_MS
    return stored
  }

  const note = (key: number, createdAt: number, idTime: number | undefined) => {
    runs ??= load(key)
    const idsFollow = idTime !== undefined && Math.abs(idTime - createdAt) <= TOLERANCE_MS
    const run = runs.at(-1)
    if (run !== undefined && createdAt >= latest - TOLERANCE_MS && run.idsFollow === idsFollow) {
      latest = Math.max(latest, createdAt)
      return
    }
    insertRun.run(key, idsFollow ? 1 : 0)
    runs.push({ firstKey: key, idsFollow })
    latest = createdAt
  }

  /** The first key of [low, high) whose row is not early; rows are early up to some key and never after it. */
  const firstThat = (low: number, high: number, isEarly: (createdAt: number) => boolean): number => {
    let from = low
    let to = high
    while (from < to) {
      const middle = Math.floor((from + to) / 2)
      const row = atOrAbove.get(middle, to)
      if (row !== undefined && isEarly(row.createdAt)) from = row.key + 1
      else to = middle
    }
    return from
  }

  const spansOfRuns = (): readonly (Span & { readonly run: Run })[] => {
    const known = (runs ??= load(Number.MAX_SAFE_INTEGER))
    const end = (newestBelow.get(Number.MAX_SAFE_INTEGER)?.key ?? 0) + 1
    return known.map((run, index) => ({ run, low: run.firstKey, high: known[index + 1]?.firstKey ?? end }))
  }

  const within = (span: TimeSpan, wholeRun: (run: Run) => boolean): Span => {
    let low = Number.MAX_SAFE_INTEGER
    let high = 0
    for (const { run, high: runEnd } of spansOfRuns()) {
      const whole = wholeRun(run)
      // A row at this distance outside proves that all on its side are outside.
      const first = whole ? run.firstKey : firstThat(run.firstKey, runEnd, (at) => at <= span.after - TOLERANCE_MS)
      const last = whole ? runEnd : firstThat(first, runEnd, (at) => at < span.before + TOLERANCE_MS)
      if (first >= last) continue
      low = Math.min(low, first)
      high = Math.max(high, last)
    }
    return { low: Math.min(low, high), high }
  }

  const surelyWithin = (span: TimeSpan): readonly Span[] =>
    spansOfRuns()
      .map(({ low: runStart, high: runEnd }) => {
        // A row at this distance inside proves that all on its other side are inside.
        const low = firstThat(runStart, runEnd, (at) => at <= span.after + TOLERANCE_MS)
        return { low, high: firstThat(low, runEnd, (at) => at < span.before - TOLERANCE_MS) }
      })
      .filter(({ low, high }) => low < high)

  return {
    note,
    forget: () => {
      runs = undefined
    },
    createdWithin: (span) => within(span, () => false),
    surelyCreatedWithin: surelyWithin,
    idsWithin: ({ after, before }) =>
      within({ after: after - TOLERANCE_MS, before: before + TOLERANCE_MS }, (run) => !run.idsFollow),
  }
}
