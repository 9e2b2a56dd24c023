// A process that works for long on the bulk of one workspace takes those of others meanwhile.

import { takeBulkFunction } from './050-bulks-in-turn.ts'
import { IS_BULK_FREE } from './063-heard-performers.ts'
import type { Migration } from './migration.ts'

/** Whether nobody works on the bulk `x`, and its workspace is none of those in `busy`. */
export const IS_FREE_OF_OTHERS = `${IS_BULK_FREE} AND x.workspace <> ALL (ARRAY(SELECT w.key FROM workspaces w WHERE w.id = ANY (busy)))`

export const bulksBesideSlowOnes: Migration = {
  version: 70,
  sql: `
-- \`busy\`: ids of workspaces of whose bulks none is taken. The release before calls the function without them.
${takeBulkFunction(IS_FREE_OF_OTHERS, ', busy text[]')}`,
}
