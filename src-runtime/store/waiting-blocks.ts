// Sums up what Executions wait for, by block of keys. Most of what waits in a large store has waited for long and does not
// change, so the sums are kept, in the database too. Whatever changes an Execution that waits drops the sum of its block
// in the same transaction; the next reader sums it up again. So waits cost no write to an index.

import type Database from 'better-sqlite3'
import { openKindCodes, statusCodes } from '../shared/row-codes.ts'
import type { GroupCommit } from './group-commit.ts'
import { createReadParts } from './open-command-parts.ts'
import { prepare } from './prepare.ts'
import { overlap, type Slices, type Span } from './slices.ts'

/** Executions of one version that wait for the same. The example is the one that has waited longest. */
type WaitingSum = {
  readonly version: number
  readonly kind: number
  readonly name: string
  count: number
  since: number
  example: number
}

/** Executions of one version that wait for an event, or while an effect backs off. */
type AttentionSum = { readonly version: number; count: number }

export type BlockSum = {
  readonly span: Span
  readonly waiting: readonly Readonly<WaitingSum>[]
  readonly attention: readonly Readonly<AttentionSum>[]
  /** When the youngest of their waits for an event began, in ms since the epoch. */
  readonly youngest: number
}

export type WaitingBlocks = {
  /** All blocks, the newest first. */
  readonly read: (slices: Slices, look: (sum: BlockSum) => void) => Promise<void>
  /** The parts of the range in which something may wait for it, the newest first: blocks with no sum may hold anything. */
  readonly mayHold: (range: Span, matches: (sum: Pick<WaitingSum, 'kind' | 'name'>) => boolean) => readonly Span[]
  /** Call it in the transaction of each change of an Execution that has open commands. */
  readonly touch: (key: number) => void
  /** After a rollback. */
  readonly forget: () => void
}

/**
 * Keys in a block. At the first request after a start, the sums of all blocks are read; after a change, a whole block is
 * summed up again. Another size needs a migration that empties the table.
 */
export const BLOCK = 8_192
/** A block with more groups is summed up each time: there may be as many names as Executions. */
const MOST_GROUPS = 64
const STORED_AT_ONCE = 200

const EVENT = openKindCodes.toCode('event')
const EFFECT = openKindCodes.toCode('effect')

export const createWaitingBlocks = (
  db: Database.Database,
  lastKey: () => number,
  commit: GroupCommit['commit'],
): WaitingBlocks => {
  const sumUp = createSumUp(db)
  const selectStored = prepare<[], { block: number; sum: string }>(db, 'SELECT block, sum FROM waiting_blocks')
  const store = prepare<[number, string]>(db, 'INSERT OR REPLACE INTO waiting_blocks (block, sum) VALUES (?, ?)')
  const remove = prepare<[number]>(db, 'DELETE FROM waiting_blocks WHERE block = ?')
  /** What is known of the blocks; `undefined` until it is first needed. */
  let known: { readonly sums: Map<number, BlockSum>; readonly stored: Set<number> } | undefined
  /** Blocks that are being summed up, by reader, unless they were changed meanwhile. */
  const underWay = new Set<{ readonly block: number; isChanged: boolean }>()

  const sumOf = async (block: number, newest: number, slices: Slices): Promise<BlockSum> => {
    const reading = { block, isChanged: false }
    underWay.add(reading)
    try {
      const sum = await sumUp(spanOf(block), newest, slices)
      if (!reading.isChanged && sum.waiting.length <= MOST_GROUPS) load().sums.set(block, sum)
      return sum
    } finally {
      underWay.delete(reading)
    }
  }

  const load = () => {
    if (known !== undefined) return known
    const rows = selectStored.all().map(({ block, sum }) => [block, fromText(block, sum)] as const)
    return (known = { sums: new Map(rows), stored: new Set(rows.map(([block]) => block)) })
  }

  const storeSums = async (blocks: readonly number[]): Promise<void> => {
    for (let from = 0; from < blocks.length; from += STORED_AT_ONCE) {
      await commit(() => ({
        write: () => {
          const { sums, stored } = load()
          for (const block of blocks.slice(from, from + STORED_AT_ONCE)) {
            const sum = sums.get(block)
            if (sum === undefined) continue // changed since, or of too many groups
            store.run(block, toText(sum))
            stored.add(block)
          }
          return { result: undefined }
        },
      }))
    }
  }

  return {
    read: async (slices, look) => {
      const newest = lastKey()
      const full: number[] = []
      for (let block = Math.floor(newest / BLOCK); block >= 0; block--) {
        const sum = load().sums.get(block) ?? (await sumOf(block, newest, slices))
        look(sum)
        // The newest one changes too often.
        const { sums, stored } = load()
        if (sum.span.high <= newest && sums.has(block) && !stored.has(block)) full.push(block)
        await slices.yieldIfDue()
      }
      // If the store closes or is full, a later reader sums them up again.
      if (full.length > 0) storeSums(full).catch(() => undefined)
    },
    mayHold: (range, matches) => {
      const spans: Span[] = []
      for (let block = Math.floor((range.high - 1) / BLOCK); block >= Math.floor(range.low / BLOCK); block--) {
        if (load().sums.get(block)?.waiting.some(matches) === false) continue
        const { low, high } = overlap(range, spanOf(block))
        const above = spans.at(-1)
        if (above?.low === high) spans[spans.length - 1] = { low, high: above.high }
        else spans.push({ low, high })
      }
      return spans
    },
    touch: (key) => {
      const { sums, stored } = load()
      const block = Math.floor(key / BLOCK)
      sums.delete(block)
      if (stored.delete(block)) remove.run(block)
      for (const reading of underWay) if (reading.block === block) reading.isChanged = true
    },
    forget: () => {
      known = undefined
      for (const reading of underWay) reading.isChanged = true
    },
  }
}

const spanOf = (block: number): Span => ({ low: block * BLOCK, high: (block + 1) * BLOCK })

type Stored = readonly [
  youngest: number,
  attention: readonly (readonly [version: number, count: number])[],
  waiting: readonly (readonly [
    version: number,
    kind: number,
    name: string,
    count: number,
    since: number,
    example: number,
  ])[],
]

/** Without names of members, because all blocks are read at the first request after a start. */
const toText = ({ waiting, attention, youngest }: BlockSum): string => {
  const stored: Stored = [
    youngest,
    attention.map(({ version, count }) => [version, count]),
    waiting.map(({ version, kind, name, count, since, example }) => [version, kind, name, count, since, example]),
  ]
  return JSON.stringify(stored)
}

const fromText = (block: number, text: string): BlockSum => {
  const [youngest, attention, waiting] = JSON.parse(text) as Stored
  return {
    span: spanOf(block),
    youngest,
    attention: attention.map(([version, count]) => ({ version, count })),
    waiting: waiting.map(([version, kind, name, count, since, example]) => ({
      version,
      kind,
      name,
      count,
      since,
      example,
    })),
  }
}

type SumUp = (span: Span, newest: number, slices: Slices) => Promise<BlockSum>

const createSumUp = (db: Database.Database): SumUp => {
  const readParts = createReadParts(db)
  // With one min() in it, SQLite takes a bare column from the row that has the minimum.
  const selectWaiting = prepare<[Span], WaitingSum>(
    db,
    `SELECT e.version AS version, w.kind AS kind, coalesce(w.name, '') AS name, count(DISTINCT w.execution) AS count,
       min(w.since) AS since, w.execution AS example
     FROM pending w CROSS JOIN executions e ON e.key = w.execution
     WHERE w.execution >= @low AND w.execution < @high
     GROUP BY e.version, w.kind, w.name`,
  )
  const selectAttention = prepare<[Span], AttentionSum & { readonly youngest: number | null }>(
    db,
    `SELECT e.version AS version, count(DISTINCT w.execution) AS count,
       max(w.since) FILTER (WHERE w.kind = ${EVENT}) AS youngest
     FROM pending w CROSS JOIN executions e ON e.key = w.execution AND e.status = ${statusCodes.toCode('waiting')}
     WHERE w.execution >= @low AND w.execution < @high
       AND (w.kind = ${EVENT} OR (w.kind = ${EFFECT} AND w.due_at IS NOT NULL))
     GROUP BY e.version`,
  )

  return async (span, newest, slices) => {
    const waiting = new Map<string, WaitingSum>()
    const attention = new Map<number, AttentionSum>()
    let youngest = 0
    await readParts({ low: span.low, high: Math.min(span.high, newest + 1) }, slices, (part) => {
      for (const row of selectWaiting.all(part)) {
        const name = `${row.version} ${row.kind} ${row.name}`
        const sum = waiting.get(name)
        if (sum === undefined) waiting.set(name, row)
        else {
          sum.count += row.count
          if (row.since < sum.since) Object.assign(sum, { since: row.since, example: row.example })
        }
      }
      for (const { version, count, youngest: at } of selectAttention.all(part)) {
        const sum = attention.get(version)
        if (sum === undefined) attention.set(version, { version, count })
        else sum.count += count
        youngest = Math.max(youngest, at ?? 0)
      }
    })
    return { span, waiting: [...waiting.values()], attention: [...attention.values()], youngest }
  }
}
