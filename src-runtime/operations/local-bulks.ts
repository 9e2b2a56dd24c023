// The port for bulks, in the process that was asked.

import { BULK_LIMIT } from '../contract/limits.ts'
import type { Bulks, BulkTarget } from '../ports/bulks.ts'
import type { ExecutionFilter } from '../ports/overview.ts'
import { actOnOne, type ActPorts } from './act-on-one.ts'
import type { BulkRuns } from './bulks.ts'
import type { WhichExecution } from './find-execution.ts'

type FindKeys = (filter: ExecutionFilter, most: number) => Promise<readonly number[]>

export const createLocalBulks = (runs: BulkRuns, ports: ActPorts, findKeys: FindKeys): Bulks => {
  /** A key is enough until it is the Execution's turn: there may be a hundred thousand. */
  const matchedBy = async (target: BulkTarget): Promise<readonly (number | WhichExecution)[]> =>
    target.kind === 'filter'
      ? (await findKeys(target.filter, BULK_LIMIT + 1)).toReversed()
      : [...new Set(target.ids)].map((id) => ({ id, projectId: target.projectId }))

  const whichOf = async (matched: number | WhichExecution): Promise<WhichExecution | undefined> => {
    if (typeof matched !== 'number') return matched
    const head = await ports.store.executions.head(matched)
    return head === undefined ? undefined : { id: head.id, projectId: undefined }
  }

  return {
    start: async ({ id, action, target }) => {
      const matched = await matchedBy(target)
      if (matched.length > BULK_LIMIT) return { kind: 'too_many_matched' }
      const step = async (index: number): Promise<boolean> => {
        const which = await whichOf(matched[index]!)
        if (which === undefined) return false
        await actOnOne(ports, action, which)
        return true
      }
      return runs.start({ id, action, matched: matched.length, step })
    },
    get: runs.get,
    stop: runs.stop,
  }
}
