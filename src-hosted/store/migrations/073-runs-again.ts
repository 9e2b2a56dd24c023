// The runs of an Execution are found by what they run again.

import type { Migration } from './migration.ts'

export const runsAgain: Migration = {
  version: 73,
  indexes: { executions_by_again_new: 'ON executions (again_of COLLATE "C", key) WHERE again_of IS NOT NULL' },
  sql: 'ALTER INDEX executions_by_again_new RENAME TO executions_by_again;',
}
