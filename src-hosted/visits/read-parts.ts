// Reads the turns of an Execution back from the store, page by page, in parts that a Program host takes.

import { missingEntry } from '../../src-runtime/engine/damaged-execution.ts'
import type { JsonText } from '../../src-runtime/engine/journal.ts'
import { createTurnReader, type ReplayTurn } from '../../src-runtime/engine/replay-turns.ts'
import { createRecordedTurns, type RecordedRow } from '../../src-runtime/worker/recorded-turns.ts'
import type { EngineStore } from '../store/store.ts'

const ENTRIES_PER_READ = 500

/** The turns that the row counts. Throws DamagedExecution. */
export async function* readParts(
  store: Pick<EngineStore, 'recorded' | 'dataAt'>,
  key: number,
  row: RecordedRow,
): AsyncGenerator<readonly ReplayTurn[], void> {
  const recorded = createRecordedTurns(row)
  let data = new Map<number, JsonText>()
  const reader = createTurnReader((position) => take(data, position))
  for (let after = 0; ;) {
    const page = await store.recorded(key, after, ENTRIES_PER_READ)
    for (const [index, entry] of page.items.entries()) {
      if (entry.source !== undefined && !data.has(entry.source)) {
        const unread = page.items.slice(index).flatMap(({ source }) => source ?? [])
        data = new Map(await store.dataAt(key, unread))
      }
      const turn = reader.read(entry)
      if (turn === undefined) continue
      if (!recorded.add(turn)) {
        yield recorded.end()
        return
      }
      const part = recorded.takeFull()
      if (part !== undefined) yield part
    }
    if (!page.more) break
    after = page.items.at(-1)!.position
  }
  const last = reader.end()
  if (last !== undefined) recorded.add(last)
  yield recorded.end()
}

/** What is used is not kept. */
const take = (data: Map<number, JsonText>, position: number): JsonText => {
  const found = data.get(position)
  if (found === undefined) throw missingEntry(position, 'event_received')
  data.delete(position)
  return found
}
