// What ran Executions again, and those runs in turn. For the dashboard and the command line: not part of the package.

import type { ExecutionFilter, ExecutionSummary, List, Page } from './contract-types.ts'

/** How many ids one filter may have. */
const MOST_IDS = 100
const PAGE = 200
/** How often a run of a run is followed: each step asks the service once more. */
const MOST_STEPS = 100

/** By the ids of those that were run again: the newest run first. */
export type RunsAgain = Readonly<Record<string, readonly ExecutionSummary[]>>

/** Of one that was run again hundreds of times, the newest runs. */
export const readRunsAgain = async (
  list: (page: Page & ExecutionFilter) => Promise<List<ExecutionSummary>>,
  ids: readonly string[],
): Promise<RunsAgain> => {
  const runs = new Map<string, ExecutionSummary>()
  let asked = ids
  for (let step = 0; step < MOST_STEPS && asked.length > 0; step += 1) {
    const items: ExecutionSummary[] = []
    for (let at = 0; at < asked.length; at += MOST_IDS) {
      items.push(...(await list({ againOf: asked.slice(at, at + MOST_IDS), limit: PAGE })).items)
    }
    const known = new Set([...ids, ...runs.keys()])
    for (const run of items) runs.set(run.id, run)
    asked = items.map(({ id }) => id).filter((id) => !known.has(id))
  }
  return byOrigin(ids, runs)
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
