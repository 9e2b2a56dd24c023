// A workspace whose items wait so long for their checks that none of them ends has had its turn, too. It came first again before.

import { takeBulkFunction } from './050-bulks-in-turn.ts'
import { IS_FREE_OF_OTHERS } from './070-bulks-beside-slow-ones.ts'
import type { Migration } from './migration.ts'

export const bulksWithoutProgress: Migration = {
  version: 71,
  sql: `
ALTER TABLE bulks ADD COLUMN had_turn boolean NOT NULL DEFAULT false;
CREATE INDEX bulks_had_turn ON bulks (workspace, free_at) WHERE had_turn;
DROP INDEX bulks_worked_on;

${takeBulkFunction(IS_FREE_OF_OTHERS, ', busy text[]', true)}`,
}
