// Writes that come at the same moment, in one transaction, unless PostgreSQL refuses it.

import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { inBatches, LONGEST_WAIT_MS } from './in-batches.ts'
import { storedNothing } from './postgres-errors.ts'

/** Characters. A longer write goes alone: the others would wait for it. */
export const MOST_LENGTH_TOGETHER = 16_384
/** The same for starts and events: many bodies of callers and webhooks are longer than that. */
export const MOST_LENGTH_SENT = 65_536
/** Of all writes of a batch: those that follow wait no longer than behind many short ones. */
const MOST_LENGTH_OF_BATCH = 64 * MOST_LENGTH_TOGETHER

/** Longer than most transactions, and no more than a moment for the other writes of a batch. */
const LOCKED_MS = 100

/**
 * A parameter of JSON for a statement that writes a batch. PostgreSQL refuses the batch where another transaction keeps
 * something locked that one of its writes needs: the setting is made before the rows of the parameter are read.
 */
export const unlessLocked = (parameter: string): string =>
  `(SELECT ${parameter}::json FROM set_config('lock_timeout', '${LOCKED_MS}', true))`

/**
 * What `write` returns for each, in the order of the keys of Executions: all processes lock rows in one order. Writes of one
 * Execution stay in theirs.
 */
export const inOrderOf = async <Write, Row>(
  keyOf: (write: Write) => number,
  writes: readonly Write[],
  write: (sorted: readonly Write[]) => Promise<readonly Row[]>,
): Promise<ReadonlyMap<Write, Row>> => {
  const sorted = writes.toSorted((one, other) => keyOf(one) - keyOf(other))
  const rows = await write(sorted)
  return new Map(sorted.map((one, index) => [one, rows[index]!]))
}

type WrittenTogether<Write, Row> = {
  together(write: Write): Promise<Row>
  alone(write: Write): Promise<Row>
}

/**
 * `many` leaves out what has to go alone. Each of a batch that PostgreSQL refuses goes alone: one of them may be at fault, or
 * wait for a lock. `keyOf`: writes of the same key would wait for the same locks. Only one of them goes alone at a time, in
 * the order in which they were told to, and what comes meanwhile to go together waits for a later batch: a locked row takes
 * one connection, but for batches that were begun before the first one was refused.
 */
export const writtenTogether = <Write, Row>(options: {
  readonly most: number
  keyOf(write: Write): unknown
  /** In characters. */
  lengthOf?(write: Write): number
  one(write: Write): Promise<Row>
  many(writes: readonly Write[]): Promise<ReadonlyMap<Write, Row>>
}): WrittenTogether<Write, Row> => {
  const { most, keyOf, lengthOf = () => 0, one, many } = options
  /** By key, the last of the writes that go alone. */
  const lastAlone = new Map<unknown, Promise<Row>>()

  const tryMany = async (writes: readonly Write[]): Promise<ReadonlyMap<Write, Row>> => {
    try {
      return await many(writes)
    } catch (error) {
      if (storedNothing(error)) return new Map()
      throw error
    }
  }

  const alone = (write: Write): Promise<Row> => {
    const key = keyOf(write)
    const before = lastAlone.get(key)
    const mine = before === undefined ? one(write) : before.then(ignore, rethrowUnavailable).then(() => one(write))
    lastAlone.set(key, mine)
    const leave = (): void => {
      if (lastAlone.get(key) === mine) lastAlone.delete(key)
    }
    mine.then(leave, leave)
    return mine
  }

  const writeAll = async (writes: readonly Write[]) => {
    const rows = writes.length === 1 ? new Map<Write, Row>() : await tryMany(writes)
    return writes.map((write) => {
      const row = rows.get(write)
      const stored = row === undefined ? alone(write) : Promise.resolve(row)
      return () => stored
    })
  }
  const writeBatch = inBatches(most, writeAll, LONGEST_WAIT_MS, { most: MOST_LENGTH_OF_BATCH, of: lengthOf })

  return {
    alone,
    together: async (write) => {
      await lastAlone.get(keyOf(write))?.catch(ignore)
      return (await writeBatch(write))()
    },
  }
}

const ignore = (): void => {}

/** What waited for too long, or found no PostgreSQL, would be followed by others that do the same for as long. */
const rethrowUnavailable = (error: unknown): void => {
  if (error instanceof StoreUnavailableError) throw error
}
