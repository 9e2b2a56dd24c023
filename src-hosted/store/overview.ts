// Many Executions of one workspace at once.

import type { Eventually } from '../../src-runtime/ports/eventually.ts'
import type { OverviewReads } from '../../src-runtime/ports/overview.ts'
import { EXECUTIONS_IN_A_PAGE } from '../../src-runtime/shared/listed-size.ts'
import { createCountExecutions } from './counts.ts'
import { createListErrors } from './error-groups.ts'
import type { FindKeys } from './find-keys.ts'
import type { FindScope } from './find-scope.ts'
import { LISTED_COLUMNS, LISTED_SIZE, toListed, type ListedRow } from './list-rows.ts'
import { createReadMetrics } from './metrics.ts'
import { HEAD_COLUMNS, HEAD_JOINS } from './rows.ts'
import type { Scope } from './scope.ts'
import { createListWaiting } from './waiting-groups.ts'

/** `found`: how many keys there are, of which a page has the first ones, and at least one. */
const listOf = (keys: string): string => `
  SELECT ${HEAD_COLUMNS}, ${LISTED_COLUMNS}, k.found FROM (
    SELECT x.key, row_number() OVER newest AS n, count(*) OVER () AS found, sum(${LISTED_SIZE}) OVER newest AS total
    FROM (${keys}) AS f JOIN executions x ON x.key = f.key WINDOW newest AS (ORDER BY x.key DESC)) AS k
  JOIN executions e ON e.key = k.key ${HEAD_JOINS}
  WHERE k.n = 1 OR k.total <= ${EXECUTIONS_IN_A_PAGE} ORDER BY e.key DESC`

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
      const rows = await keys.read<ListedRow & { readonly found: number }>(listOf)
      const items = rows.slice(0, query.limit).map(toListed)
      return { items, more: items.length < (rows[0]?.found ?? 0) }
    },
    counts: counting.counts,
    awaitingAttention: counting.awaitingAttention,
    waiting: createListWaiting(scope, findScope),
    errors: createListErrors(scope, findScope),
    metrics: createReadMetrics(scope, findScope, counting),
  }
}
