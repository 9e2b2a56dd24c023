// Writes that come at the same moment, in one transaction, unless PostgreSQL refuses it.

import { inBatches } from './in-batches.ts'
import { storedNothing } from './postgres-errors.ts'

/** Characters. A longer write goes alone: the others would wait for it. */
export const MOST_LENGTH_TOGETHER = 16_384

/** `many` leaves out what has to go alone. Each of a batch that PostgreSQL refuses goes alone: one of them may be at fault. */
export const writtenTogether = <Write, Row>(
  most: number,
  one: (write: Write) => Promise<Row>,
  many: (writes: readonly Write[]) => Promise<ReadonlyMap<Write, Row>>,
): ((write: Write) => Promise<Row>) => {
  const tryMany = async (writes: readonly Write[]): Promise<ReadonlyMap<Write, Row>> => {
    try {
      return await many(writes)
    } catch (error) {
      if (storedNothing(error)) return new Map()
      throw error
    }
  }
  const write = inBatches(most, async (writes: readonly Write[]) => {
    const rows = writes.length === 1 ? new Map<Write, Row>() : await tryMany(writes)
    return writes.map((each) => async () => rows.get(each) ?? one(each))
  })
  return async (each) => (await write(each))()
}
