// Sums up what Executions wait for, by block of keys. Most of what waits in a large store has waited for long and does not
// change, so the sums are kept, in the database too. Whatever changes an Execution that waits drops the sum of its block
// in the same transaction; the next reader sums it up again. So waits cost no write to an index.

import type Database from 'better-sqlite3'
import { openKindCodes, statusCodes } from '../shared/row-codes.ts'
import type { GroupCommit } from './group-commit.ts'
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

export type BlockAttention = {
  readonly span: Span
  readonly attention: readonly Readonly<AttentionSum>[]
  /** When the youngest of their waits for an event began, in ms since the epoch. */
  readonly youngest: number
}

type Waiting = readonly Readonly<WaitingSum>[]

type BlockSum = BlockAttention & { readonly waiting: Waiting }

/** `waiting` is missing where it has too many groups to be kept for long. */
type KeptSum = BlockAttention & { readonly waiting?: Waiting }

export type WaitingBlocks = {
  /** All blocks, the newest first. */
  readonly read: (slices: Slices, look: (waiting: Waiting) => void) => Promise<void>
  readonly readAttention: (slices: Slices, look: (sum: BlockAttention) => void) => Promise<void>
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
/** What a block with more groups waits for is kept for a short time only: there may be as many names as Executions. */
const MOST_GROUPS = 64
/** For callers that read one page after the other. */
const LARGE_KEPT_MS = 10_000
/** Of all blocks with so many groups together, in memory. Each takes about 150 bytes. */
const MOST_LARGE_GROUPS = 400_000
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
  let known: { readonly sums: Map<number, KeptSum>; readonly stored: Set<number> } | undefined
  let dropping: NodeJS.Timeout | undefined
  /** Blocks that are being summed up, by reader, unless they were changed meanwhile. */
  const underWay = new Set<{ readonly block: number; isChanged: boolean }>()

  const sumOf = async (block: number, newest: number, slices: Slices): Promise<BlockSum> => {
    const reading = { block, isChanged: false }
    underWay.add(reading)
    try {
      const sum = await sumUp(spanOf(block), newest, slices)
      if (!reading.isChanged) keep(block, sum)
      return sum
    } finally {
      underWay.delete(reading)
    }
  }

  const keep = (block: number, sum: BlockSum): void => {
    const { sums } = load()
    const large = [...sums.values()].reduce((groups, { waiting = [] }) => groups + groupsIfLarge(waiting), 0)
    const groups = groupsIfLarge(sum.waiting)
    sums.set(block, groups > 0 && large + groups > MOST_LARGE_GROUPS ? withoutWaiting(sum) : sum)
  }

  /** What large blocks wait for, once nobody reads it any more. */
  const dropLater = (): void => {
    clearTimeout(dropping)
    dropping = setTimeout(() => {
      if (known === undefined) return
      const { sums } = known
      for (const [block, sum] of sums) if (groupsIfLarge(sum.waiting ?? []) > 0) sums.set(block, withoutWaiting(sum))
    }, LARGE_KEPT_MS).unref()
  }

  const load = () => {
    if (known !== undefined) return known
    const rows = selectStored.all().map(({ block, sum }) => [block, fromText(block, sum)] as const)
    return (known = { sums: new Map(rows), stored: new Set(rows.map(([block]) => block)) })
  }

  /** Without the newest block, which changes too often. */
  const storeSums = async (newest: number): Promise<void> => {
    const { sums, stored } = load()
    const blocks = [...sums].flatMap(([block, sum]) =>
      isStorable(sum) && sum.span.high <= newest && !stored.has(block) ? [block] : [],
    )
    for (let from = 0; from < blocks.length; from += STORED_AT_ONCE) {
      await commit(() => ({
        write: () => {
          const { sums, stored } = load()
          for (const block of blocks.slice(from, from + STORED_AT_ONCE)) {
            const sum = sums.get(block)
            if (sum === undefined || !isStorable(sum)) continue // changed since
            store.run(block, toText(sum))
            stored.add(block)
          }
          return { result: undefined }
        },
      }))
    }
  }

  const readAll = async <Sum extends KeptSum>(
    slices: Slices,
    has: (kept: KeptSum) => kept is Sum,
    look: (sum: Sum | BlockSum) => void,
  ): Promise<void> => {
    const newest = lastKey()
    for (let block = Math.floor(newest / BLOCK); block >= 0; block--) {
      const kept = load().sums.get(block)
      look(kept !== undefined && has(kept) ? kept : await sumOf(block, newest, slices))
      await slices.yieldIfDue()
    }
    // If the store closes or is full, a later reader stores them.
    storeSums(newest).catch(() => undefined)
  }

  return {
    read: async (slices, look) => {
      await readAll(slices, hasWaiting, ({ waiting }) => look(waiting))
      dropLater()
    },
    readAttention: (slices, look) => readAll(slices, isKept, look),
    mayHold: (range, matches) => {
      const spans: Span[] = []
      for (let block = Math.floor((range.high - 1) / BLOCK); block >= Math.floor(range.low / BLOCK); block--) {
        if (load().sums.get(block)?.waiting?.some(matches) === false) continue
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

const groupsIfLarge = ({ length }: Waiting): number => (length > MOST_GROUPS ? length : 0)

const hasWaiting = (sum: KeptSum): sum is BlockSum => sum.waiting !== undefined

const isKept = (_sum: KeptSum): _sum is KeptSum => true

const isStorable = (sum: KeptSum): sum is BlockSum => hasWaiting(sum) && groupsIfLarge(sum.waiting) === 0

const withoutWaiting = ({ span, attention, youngest }: KeptSum): BlockAttention => ({ span, attention, youngest })

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

/** Open commands that are read at once. An Execution may have ten thousand, so they may be a part of one. */
const ROWS = 2_048

type Row = Pick<WaitingSum, 'version' | 'kind' | 'name' | 'since'> & {
  readonly execution: number
  readonly command: number
  readonly needsAttention: number
}

/** `counted` is the last Execution in it. They come in the order of their keys, so each counts once. */
type Counting<Sum> = { readonly sum: Sum; counted: number }

const createSumUp = (db: Database.Database): SumUp => {
  // Grouping in SQL takes longer, and counts an Execution twice if its commands are read in parts.
  const selectRows = prepare<[{ execution: number; command: number; high: number }], Row>(
    db,
    `SELECT w.execution AS execution, w.command AS command, e.version AS version, w.kind AS kind,
       coalesce(w.name, '') AS name, w.since AS since,
       e.status = ${statusCodes.toCode('waiting')}
         AND (w.kind = ${EVENT} OR (w.kind = ${EFFECT} AND w.due_at IS NOT NULL)) AS needsAttention
     FROM pending w CROSS JOIN executions e ON e.key = w.execution
     WHERE (w.execution, w.command) > (@execution, @command) AND w.execution < @high
     ORDER BY w.execution, w.command LIMIT ${ROWS}`,
  )

  return async (span, newest, slices) => {
    const waiting = new Map<string, Counting<WaitingSum>>()
    const attention = new Map<number, Counting<AttentionSum>>()
    let youngest = 0

    const add = ({ execution, version, kind, name, since, needsAttention }: Row): void => {
      const sum = count(waiting, `${version} ${kind} ${name}`, execution, () => ({
        version,
        kind,
        name,
        count: 0,
        since,
        example: execution,
      }))
      if (since < sum.since) Object.assign(sum, { since, example: execution })
      if (needsAttention === 0) return
      count(attention, version, execution, () => ({ version, count: 0 }))
      if (kind === EVENT) youngest = Math.max(youngest, since)
    }

    const high = Math.min(span.high, newest + 1)
    let last: Pick<Row, 'execution' | 'command'> | undefined = { execution: span.low, command: 0 }
    while (last !== undefined) {
      const rows: readonly Row[] = selectRows.all({ execution: last.execution, command: last.command, high })
      for (const row of rows) add(row)
      last = rows[ROWS - 1]
      await slices.yieldIfDue()
    }
    return { span, waiting: sumsOf(waiting), attention: sumsOf(attention), youngest }
  }
}

const count = <Key, Sum extends { count: number }>(
  sums: Map<Key, Counting<Sum>>,
  key: Key,
  execution: number,
  first: () => Sum,
): Sum => {
  let counting = sums.get(key)
  if (counting === undefined) sums.set(key, (counting = { sum: first(), counted: -1 }))
  if (counting.counted !== execution) counting.sum.count += 1
  counting.counted = execution
  return counting.sum
}

const sumsOf = <Sum>(sums: ReadonlyMap<unknown, Counting<Sum>>): readonly Sum[] =>
  [...sums.values()].map(({ sum }) => sum)
