// Implements the port for reading many Executions.

import type Database from 'better-sqlite3'
import type { ChangedKeys } from './changed-keys.ts'
import { createListErrorGroups } from './error-group-list.ts'
import { createCountExecutions } from './execution-counts.ts'
import { createFindKeys, createMatchKeys } from './execution-list.ts'
import { createInputPreview } from './input-preview.ts'
import type { ExecutionRows } from './execution-rows.ts'
import type { LabelSearch } from './label-search.ts'
import { createReadMetrics } from './metrics.ts'
import { toBoundedPage } from '../shared/bounded-page.ts'
import type { StatusCounts } from './status-counts.ts'
import { EXECUTIONS_IN_A_PAGE, listedSize } from '../shared/listed-size.ts'
import type { ExecutionRecord } from '../ports/executions.ts'
import type { OverviewStore } from './store.ts'
import type { ListedExecution } from '../ports/overview.ts'
import type { Timeline } from './timeline.ts'
import type { VersionRefs } from './version-refs.ts'
import type { WaitingBlocks } from './waiting-blocks.ts'
import { createListWaiting } from './waiting-groups.ts'

const SIZE = { of: listedSize, budget: EXECUTIONS_IN_A_PAGE }

export const createOverviewStore = (options: {
  readonly db: Database.Database
  readonly now: () => number
  readonly timeline: Timeline
  readonly rows: ExecutionRows
  readonly statusCounts: StatusCounts
  readonly versions: VersionRefs
  readonly blocks: WaitingBlocks
  readonly labelSearch: LabelSearch
  readonly changed: ChangedKeys
  readonly record: (key: number) => ExecutionRecord | undefined
}): OverviewStore => {
  const { db, now, timeline, rows, statusCounts, versions, blocks, labelSearch, changed, record } = options
  const { lastKey } = rows
  const inputPreview = createInputPreview(db)
  const matchKeys = createMatchKeys(db, now)
  const findKeys = createFindKeys({ db, timeline, blocks, labelSearch, changed, matchKeys, lastKey, now })
  const { countStatuses, countAwaiting } = createCountExecutions({
    db,
    timeline,
    findKeys,
    statusCounts,
    blocks,
    lastKey,
    now,
  })
  const errors = createListErrorGroups(db)

  const listed = (key: number): ListedExecution | undefined => {
    const found = record(key)
    const preview = found && inputPreview(key)
    return preview === undefined ? found : { ...found!, inputPreview: preview }
  }

  const list: OverviewStore['list'] = async (query) => {
    for (let asked = query; ;) {
      const keys = await findKeys(asked, query.limit + 1)
      const matching = matchKeys(query, keys)
      const show = (key: number) => (matching.has(key) ? listed(key) : undefined)
      const page = toBoundedPage(keys, query.limit, show, SIZE)
      // A page without items has no cursor.
      if (page.items.length > 0 || !page.more) return page
      asked = { ...query, beforeKey: keys[query.limit - 1]! }
    }
  }

  return {
    list,
    keys: findKeys,
    counts: countStatuses,
    awaitingAttention: countAwaiting,
    waiting: createListWaiting(db, versions, blocks),
    errors: async (query) => errors(query),
    metrics: createReadMetrics(db, timeline),
  }
}
