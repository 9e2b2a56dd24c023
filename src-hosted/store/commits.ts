// Commits turns. Turns of different Executions of one workspace that end at the same moment share one transaction, and so
// one flush. Those of another workspace do not wait for it.

import { statusCodes } from '../../src-runtime/shared/row-codes.ts'
import { changeParameters, lengthOf, lengthOfRemoved } from './change-parameters.ts'
import type { DatabaseClock } from './clock.ts'
import type { Database } from './database.ts'
import { madeByKey } from './made-by-key.ts'
import { parameters } from './parameters.ts'
import type { Committed, CommittedTurns, EngineStore, Lost, Seen } from './store.ts'
import { inOrderOf, MOST_LENGTH_TOGETHER, unlessLocked, writtenTogether } from './written-together.ts'

type CommitRow = {
  readonly outcome: 'committed' | 'lost' | 'gone'
  readonly first_position: number
  readonly now_stirred: number
  readonly at: number
  readonly now_turns: number
  readonly now_cancel: number | null
  readonly now_status: number
}

type Commit = {
  readonly seen: Seen
  readonly turns: CommittedTurns
  readonly change: ReturnType<typeof changeParameters>
}

const COMMIT = `SELECT * FROM wes_commit(${parameters(29)})`
const COMMIT_MANY = `SELECT * FROM wes_commit_many($1, ${unlessLocked('$2')})`
const MOST_TOGETHER = 32
const MOST_WORKSPACES = 10_000

export const createCommits = (db: Database, clock: DatabaseClock): EngineStore['commit'] => {
  const commitOne = async (commit: Commit): Promise<CommitRow> => {
    const [row] = await db.run<CommitRow>(COMMIT, valuesOf(commit))
    return row!
  }

  const keyOf = ({ seen }: Commit): number => seen.key
  /** The first one of each Execution. */
  const commitMany = (commits: readonly Commit[]): Promise<ReadonlyMap<Commit, CommitRow>> => {
    const first = new Map(commits.toReversed().map((commit) => [keyOf(commit), commit]))
    return inOrderOf(keyOf, [...first.values()], (sorted) =>
      db.run<CommitRow>(COMMIT_MANY, [sorted.map(keyOf), `[${sorted.map(rowOf).join()}]`]),
    )
  }
  const writesOf = madeByKey(MOST_WORKSPACES, () =>
    writtenTogether({ most: MOST_TOGETHER, keyOf, one: commitOne, many: commitMany }),
  )

  return async (seen, turns) => {
    const commit = { seen, turns, change: changeParameters(turns.change, turns.begun) }
    const length = lengthOf(commit.change) + lengthOfRemoved(commit.change, seen)
    const isAlone = commit.change.error !== null || length > MOST_LENGTH_TOGETHER
    const { together, alone } = writesOf(seen.workspaceId)
    const askedAt = performance.now()
    const row = await (isAlone ? alone(commit) : together(commit))
    if (row.outcome !== 'gone') clock.told(row.at, askedAt)
    return toCommitted(row)
  }
}

const valuesOf = ({ seen, turns: { wakeAt, invocation, computeMs = 0 }, change: c }: Commit): readonly unknown[] => [
  ...[seen.key, seen.turns, seen.cancelRequestedAt ?? null, seen.stirred, seen.lastPosition],
  ...[c.status, c.turns, c.lastCommand, c.startedAt, c.finishedAt, c.isCancelDelivered, c.label],
  ...[c.error, c.fingerprint, c.searched, c.grams],
  ...[c.entries, c.entryCount, c.timedOut, c.opened, c.closed, c.isAllClosed],
  ...[c.consumed, c.isAllConsumed, wakeAt ?? null, invocation ?? null, c.attempts, Math.ceil(computeMs), c.bytes],
]

/** Of a commit without a failure. Entries and opened commands are JSON text already. */
const rowOf = ({ seen, turns: { wakeAt, invocation, computeMs = 0 }, change: c }: Commit): string => {
  const row = {
    ...{ k: seen.key, seen_turns: seen.turns, seen_cancel: seen.cancelRequestedAt },
    ...{ seen_stirred: seen.stirred, seen_position: seen.lastPosition },
    ...{ status: c.status, turns: c.turns, command: c.lastCommand, begun: c.startedAt, finished: c.finishedAt },
    ...{ delivered: c.isCancelDelivered, label: c.label, entry_count: c.entryCount, timed_out: c.timedOut },
    ...{ closed: c.closed, all_closed: c.isAllClosed, consumed: c.consumed, all_consumed: c.isAllConsumed },
    ...{ wake: wakeAt, invocation, attempts: c.attempts, compute: Math.ceil(computeMs), bytes: c.bytes },
  }
  return `${JSON.stringify(row).slice(0, -1)},"entries":${c.entries},"opened":${c.opened}}`
}

const toCommitted = (row: CommitRow): Committed | Lost => {
  switch (row.outcome) {
    case 'committed':
      return { kind: 'committed', firstPosition: row.first_position, stirred: row.now_stirred, now: row.at }
    case 'lost':
      return {
        kind: 'lost',
        turns: row.now_turns,
        cancelRequestedAt: row.now_cancel ?? undefined,
        status: statusCodes.toWord(row.now_status),
      }
    case 'gone':
      return { kind: 'gone' }
  }
}
