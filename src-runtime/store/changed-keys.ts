// Which Executions are changed while somebody reads an index in slices. A row may move from a part of the index that is
// still to be read to one that has been read, and would be missing.

import type { Span } from './slices.ts'

export type ChangedKeys = {
  /** Call it in the transaction of each change of an Execution. */
  readonly note: (key: number) => void
  /** Collects keys within the range until `stop`. */
  readonly collect: (range: Span) => { readonly keys: ReadonlySet<number>; readonly stop: () => void }
}

export const createChangedKeys = (): ChangedKeys => {
  const readers = new Set<{ readonly range: Span; readonly keys: Set<number> }>()
  return {
    note: (key) => {
      for (const { range, keys } of readers) if (key >= range.low && key < range.high) keys.add(key)
    },
    collect: (range) => {
      const reader = { range, keys: new Set<number>() }
      readers.add(reader)
      return { keys: reader.keys, stop: () => void readers.delete(reader) }
    },
  }
}
