// A workspace whose items wait so long for their checks that none of them ends has had its turn, too. It came first again before.

import { takeBulkFunction } from './050-bulks-in-turn.ts'
import { IS_FREE_OF_OTHERS } from './070-bulks-beside-slow-ones.ts'
import type { Migration } from './migration.ts'

/** A process leased items of the bulk `o`, whether it worked on any to the end or not. */
const WAS_LEASED = 'o.free_at > o.created_at'

export const bulksWithoutProgress: Migration = {
  version: 71,
  sql: `
CREATE INDEX bulks_leased ON bulks (workspace, free_at) WHERE free_at > created_at;
DROP INDEX bulks_worked_on;

${takeBulkFunction(IS_FREE_OF_OTHERS, ', busy text[]', WAS_LEASED)}`,
}
