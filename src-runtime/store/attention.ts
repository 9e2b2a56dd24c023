// Executions that need attention: they failed, or wait while an effect backs off, or have waited long for the same
// event. Failed ones are found by status. The others are found through their open commands: retries are few and have an
// index; only an Execution that was created long ago can have waited long.

import type Database from 'better-sqlite3'
import { openKindCodes } from '../shared/row-codes.ts'
import {
  FAILED,
  MATCHES_VERSION,
  ROW_MATCHES,
  WAITING,
  isOfVersions,
  withStatuses,
  type FilterParameters,
} from './execution-filter.ts'
import { createListByPending } from './execution-indexes.ts'
import { ALL, newestOf, type ListKeys, type ListParameters } from './list-keys.ts'
import { ALL_OPEN, createCollectByPart, createReadParts, withOpenCommand } from './open-command-parts.ts'
import { prepare } from './prepare.ts'
import { overlap, type Slices, type Span } from './slices.ts'
import type { Timeline } from './timeline.ts'
import type { WaitingBlocks } from './waiting-blocks.ts'

const EVENT = openKindCodes.toCode('event')
const EFFECT = openKindCodes.toCode('effect')

const ATTENTION = `((p.kind = ${EVENT} AND p.since <= @since) OR (p.kind = ${EFFECT} AND p.due_at IS NOT NULL))`
const NEED_ATTENTION = withOpenCommand({ from: 'pending p', where: ATTENTION })

/** Every waiting Execution in the old part may need attention; in the young part, only those with retries. */
const divideByAge = (since: number, range: Span, timeline: Timeline) => {
  const { high } = timeline.createdWithin({ after: -Infinity, before: since + 1 })
  return { old: overlap(range, { low: 0, high }), young: overlap(range, { low: high, high: range.high }) }
}

/** The rest of the filter, once the open commands have been checked. */
const rest = (filter: FilterParameters): FilterParameters => ({ ...withStatuses(filter, WAITING), staleSince: null })

export const createListAttention = (db: Database.Database, timeline: Timeline, newest: ListKeys): ListKeys => {
  const retries = createListByPending(db, 'retries')
  const collectByPart = createCollectByPart(db, ALL_OPEN)
  const select = prepare<[ListParameters & { since: number }], number>(
    db,
    `SELECT e.key FROM ${NEED_ATTENTION} WHERE ${ROW_MATCHES} ORDER BY e.key DESC LIMIT @count`,
  ).pluck()

  return async (filter, range, count, slices) => {
    const since = filter.staleSince ?? 0
    const listFailed = () => newest({ ...withStatuses(filter, FAILED), staleSince: null }, range, count, slices)
    const waiting = rest(filter)
    if (waiting.statuses === 0) return listFailed()
    const { old, young } = divideByAge(since, range, timeline)
    const retried = await retries(waiting, young, count, slices)
    const stale = await collectByPart(old, count, slices, (part, left) =>
      select.all({ ...waiting, ...part, count: left, since }),
    )
    // Last: an Execution that fails meanwhile would otherwise be in none of these lists.
    return newestOf([await listFailed(), retried, stale], count)
  }
}

/** Counts the waiting Executions that need attention. */
export type CountAttention = (filter: FilterParameters, range: Span, slices: Slices) => Promise<number>

export const createCountAttention = (
  db: Database.Database,
  timeline: Timeline,
  blocks: WaitingBlocks,
): CountAttention => {
  type Parameters = Span & { readonly since: number }
  const retries = createListByPending(db, 'retries')
  const readParts = createReadParts(db)
  const selectCount = prepare<[FilterParameters & Parameters], number>(
    db,
    `SELECT count(*) FROM ${NEED_ATTENTION} WHERE ${ROW_MATCHES}`,
  ).pluck()
  const selectVersions = prepare<[FilterParameters], number>(
    db,
    `SELECT v.key FROM versions v WHERE ${MATCHES_VERSION}`,
  ).pluck()

  const countMatching = async (
    filter: FilterParameters,
    span: Span,
    since: number,
    slices: Slices,
  ): Promise<number> => {
    let count = 0
    await readParts(span, slices, (part) => {
      count += selectCount.get({ ...filter, ...part, since }) ?? 0
    })
    return count
  }

  /** Only blocks with young waits are read. */
  const countInBlocks = async (filter: FilterParameters, since: number, slices: Slices): Promise<number> => {
    const versions = new Set(selectVersions.all(filter))
    const young: Span[] = []
    let count = 0
    await blocks.readAttention(slices, ({ span, attention, youngest }) => {
      if (youngest > since) young.push(span)
      else for (const sum of attention) if (versions.has(sum.version)) count += sum.count
    })
    for (const span of young) count += await countMatching(filter, span, since, slices)
    return count
  }

  return async (anyFilter, range, slices) => {
    const since = anyFilter.staleSince ?? 0
    const filter = rest(anyFilter)
    if (filter.statuses === 0) return 0
    if (isOfVersions(filter)) return countInBlocks(filter, since, slices)
    const { old, young } = divideByAge(since, range, timeline)
    const retried = await retries(filter, young, ALL, slices)
    return retried.length + (await countMatching(filter, old, since, slices))
  }
}
