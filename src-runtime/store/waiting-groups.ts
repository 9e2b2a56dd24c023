// Groups what Executions wait for by kind, name and Program, from the sums of blocks. Only the groups of one page are kept
// in memory.

import type Database from 'better-sqlite3'
import { openKindCodes } from '../shared/row-codes.ts'
import { prepare } from './prepare.ts'
import { createSlices } from './slices.ts'
import type { VersionRefs } from './version-refs.ts'
import type { WaitingBlocks } from './waiting-blocks.ts'
import type { WaitingGroupQuery, WaitingGroupRecord, WaitingMark } from '../ports/overview.ts'
import type { Page } from '../ports/page.ts'

type GroupRow = {
  readonly kind: number
  readonly name: string
  readonly programId: string
  readonly count: number
  readonly since: number
  readonly example: number
}

/** An Execution may be deleted meanwhile, and be the example of a group: then the groups are read again, but not for ever. */
const MOST_READS = 5

type Group = { -readonly [Member in keyof GroupRow]: GroupRow[Member] }

export const createListWaiting = (
  db: Database.Database,
  versions: VersionRefs,
  blocks: WaitingBlocks,
): ((query: WaitingGroupQuery) => Promise<Page<WaitingGroupRecord>>) => {
  const selectId = prepare<[number], string>(db, 'SELECT id FROM executions WHERE key = ?').pluck()

  const readFirst = async ({ projectId, after, limit }: WaitingGroupQuery): Promise<readonly Group[]> => {
    const groups = createFirstGroups(after, limit + 1)
    await blocks.read(createSlices(), (waiting) => {
      for (const { version, ...sum } of waiting) {
        const { projectId: project, programId } = versions.byKey(version)
        if (project === projectId) groups.add({ ...sum, programId })
      }
    })
    return groups.first()
  }

  return async (query) => {
    for (let reads = 1; ; reads++) {
      const first = await readFirst(query)
      const asked = first.slice(0, query.limit)
      const items = asked.flatMap((group) => {
        const example = selectId.get(group.example)
        return example === undefined ? [] : [toRecord(group, example)]
      })
      if (items.length === asked.length || reads === MOST_READS) {
        return { items, more: items.length > 0 && first.length > query.limit }
      }
    }
  }
}

const toRecord = (group: Group, exampleExecutionId: string): WaitingGroupRecord => ({
  kind: openKindCodes.toWord(group.kind),
  name: group.name,
  programId: group.programId,
  count: group.count,
  oldestSince: group.since,
  exampleExecutionId,
})

const compare = (one: Mark, other: Mark): number =>
  one.kind - other.kind || compareText(one.name, other.name) || compareText(one.programId, other.programId)

type Mark = Pick<GroupRow, 'kind' | 'name' | 'programId'>

/** By code points, as PostgreSQL compares the bytes of names. */
const compareText = (one: string, other: string): number => {
  if (one === other) return 0
  const end = Math.min(one.length, other.length)
  let at = 0
  while (at < end && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  return at === end ? one.length - other.length : rankAt(one, at) - rankAt(other, at)
}

/** Surrogates stand for characters that come after all others. */
const rankAt = (text: string, at: number): number => {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit
}

/**
 * The first `count` groups after a mark. A group that drops out never returns, so the kept groups have complete counts,
 * and memory is bounded however many names there are.
 */
const createFirstGroups = (after: WaitingMark | undefined, count: number) => {
  const mark = after === undefined ? undefined : { ...after, kind: openKindCodes.toCode(after.kind) }
  let groups = new Map<string, Group>()
  let last: Group | undefined

  const sorted = (): Group[] => [...groups.values()].sort(compare)

  const prune = (): void => {
    const kept = sorted().slice(0, count)
    last = kept.at(-1)
    groups = new Map(kept.map((group) => [keyOf(group), group]))
  }

  return {
    add: (row: GroupRow): void => {
      if ((mark !== undefined && compare(row, mark) <= 0) || (last !== undefined && compare(row, last) > 0)) return
      const known = groups.get(keyOf(row))
      if (known === undefined) {
        groups.set(keyOf(row), { ...row })
        if (groups.size >= 4 * count + 64) prune()
        return
      }
      known.count += row.count
      if (row.since <= known.since) {
        known.since = row.since
        known.example = row.example
      }
    },
    first: (): readonly Group[] => sorted().slice(0, count),
  }
}

const keyOf = ({ kind, name, programId }: Mark): string => `${kind} ${programId} ${name}`
