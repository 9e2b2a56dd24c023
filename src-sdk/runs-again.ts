// What ran Executions again, and those runs in turn. For the dashboard and the command line: not part of the package.

import type { ExecutionFilter, ExecutionSummary, List, Page } from './contract-types.ts'

/** How many ids one filter may have. */
const MOST_IDS = 100
const PAGE = 200
/** How often a run of a run is followed: each step asks the service once more. */
const MOST_STEPS = 100

/** By the ids of those that were run again: the newest run first. */
export type RunsAgain = Readonly<Record<string, readonly ExecutionSummary[]>>

type ListExecutions = (page: Page & ExecutionFilter) => Promise<List<ExecutionSummary>>

/** Of one that was run again hundreds of times, the newest runs. */
export const readRunsAgain = async (list: ListExecutions, ids: readonly string[]): Promise<RunsAgain> => {
  const runs = new Map<string, ExecutionSummary>()
  let asked = ids
  for (let step = 0; step < MOST_STEPS && asked.length > 0; step += 1) {
    const items: ExecutionSummary[] = []
    for (let at = 0; at < asked.length; at += MOST_IDS)
      items.push(...(await readRuns(list, asked.slice(at, at + MOST_IDS))))
    const known = new Set([...ids, ...runs.keys()])
    for (const run of items) runs.set(run.id, run)
    asked = items.map(({ id }) => id).filter((id) => !known.has(id))
  }
  return byOrigin(ids, runs)
}

/** Of each of these ids that was run again, at least the newest run: many runs of one leave no room for others in a page. */
const readRuns = async (list: ListExecutions, ids: readonly string[]): Promise<readonly ExecutionSummary[]> => {
  const { items, nextCursor } = await list({ againOf: ids, limit: PAGE })
  const found = new Set(items.map(({ againOf }) => againOf))
  const others = ids.filter((id) => !found.has(id))
  const isWhole = nextCursor === null || others.length === 0 || others.length === ids.length
  return isWhole ? items : [...items, ...(await readRuns(list, others))]
}

const byOrigin = (ids: readonly string[], runs: ReadonlyMap<string, ExecutionSummary>): RunsAgain => {
  const found = new Map<string, ExecutionSummary[]>()
  for (const run of [...runs.values()].sort(newestFirst)) {
    // Another server could say of two that each runs the other again.
    const origins = new Set<string>()
    for (let { againOf } = run; againOf !== undefined && !origins.has(againOf); againOf = runs.get(againOf)?.againOf) {
      origins.add(againOf)
      if (ids.includes(againOf)) found.set(againOf, [...(found.get(againOf) ?? []), run])
    }
  }
  return Object.fromEntries(found)
}

/** Ids sort by creation. */
const newestFirst = ({ id: one }: ExecutionSummary, { id: other }: ExecutionSummary): number => (one < other ? 1 : -1)
