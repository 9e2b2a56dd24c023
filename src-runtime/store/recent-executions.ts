// The rows of Executions that were written last, with their inputs and results: a short Execution is read several times
// between its start and the answer to its caller. What is kept is as in the database, or in the transaction that is open.

import type { ExecutionHead } from '../engine/execution-state.ts'
import type { JsonText } from '../engine/journal.ts'
import { createTransientMap } from '../shared/transient-map.ts'

export type RecentExecution = {
  readonly head: ExecutionHead
  /** `{ input? }`; absent where it is not kept. */
  readonly input?: JsonText
  /** `{ result? }`, of one that completed; absent where it is not kept. */
  readonly result?: JsonText
}

export type RecentExecutions = {
  get(key: number): RecentExecution | undefined
  keyOf(id: string): number | undefined
  /** In place of what is kept of it. */
  keep(recent: RecentExecution): void
  drop(key: number): void
  /** After a rollback. */
  forget(): void
}

const MOST = 512
const MOST_LENGTH = 4 * 1024 * 1024
/** Longer inputs and results are not kept. */
const LONGEST = 32 * 1024

export const createRecentExecutions = (): RecentExecutions => {
  /** Oldest first. */
  const byKey = createTransientMap<number, RecentExecution>()
  const keys = new Map<string, number>()
  let length = 0

  const drop = (key: number): void => {
    const known = byKey.get(key)
    if (known === undefined) return
    byKey.delete(key)
    keys.delete(known.head.id)
    length -= lengthOf(known)
  }

  return {
    get: (key) => byKey.get(key),
    keyOf: (id) => keys.get(id),
    keep: (recent) => {
      const { key, id } = recent.head
      drop(key)
      const kept = isShort(recent.input) && isShort(recent.result) ? recent : { head: recent.head }
      byKey.set(key, kept)
      keys.set(id, key)
      length += lengthOf(kept)
      for (const oldest of byKey.keys()) {
        if (byKey.size <= MOST && length <= MOST_LENGTH) return
        drop(oldest)
      }
    },
    drop,
    forget: () => {
      byKey.clear()
      keys.clear()
      length = 0
    },
  }
}

const isShort = (text: JsonText | undefined): boolean => text === undefined || text.length <= LONGEST

const lengthOf = ({ input, result }: RecentExecution): number => (input?.length ?? 0) + (result?.length ?? 0)
