// Many Executions of one workspace at once.

import type { Eventually } from '../../src-runtime/ports/eventually.ts'
import type { ListedExecution, OverviewReads } from '../../src-runtime/ports/overview.ts'
import { toBoundedPage } from '../../src-runtime/shared/bounded-page.ts'
import { createCountExecutions } from './counts.ts'
import { createListErrors } from './error-groups.ts'
import type { FindKeys } from './find-keys.ts'
import type { FindScope } from './find-scope.ts'
import { LISTED_COLUMNS, toListed, type ListedRow } from './list-rows.ts'
import { createReadMetrics } from './metrics.ts'
import { HEAD_COLUMNS, HEAD_JOINS } from './rows.ts'
import type { Scope } from './scope.ts'
import { createListWaiting } from './waiting-groups.ts'

/** A page ends early at this many open commands, because one Execution may have 10,000. */
const WAITING_FOR = { of: ({ waitingFor }: ListedExecution) => waitingFor.length, budget: 10_000 }

const listOf = (keys: string): string => `
  SELECT ${HEAD_COLUMNS}, ${LISTED_COLUMNS} FROM (${keys}) AS k JOIN executions e ON e.key = k.key ${HEAD_JOINS}
  ORDER BY e.key DESC`

export const createOverviewReads = (options: {
  readonly scope: Scope
  readonly findScope: FindScope
  readonly findKeys: FindKeys
  readonly now: () => number
}): Eventually<OverviewReads> => {
  const { scope, findScope, findKeys, now } = options
  const counting = createCountExecutions({ scope, findScope, findKeys, now })
  return {
    list: async (query) => {
      const keys = await findKeys(query, now(), query.limit + 1)
      if (keys === undefined) return { items: [], more: false }
      const rows = await keys.read<ListedRow>(listOf)
      return toBoundedPage(rows, query.limit, toListed, WAITING_FOR)
    },
    counts: counting.counts,
    awaitingAttention: counting.awaitingAttention,
    waiting: createListWaiting(scope, findScope),
    errors: createListErrors(scope, findScope),
    metrics: createReadMetrics(scope, findScope, counting),
  }
}
