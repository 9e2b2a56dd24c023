// Counts, metrics and what is waited for are read from indexes alone. Row-level security asks for the workspace of each row: without it
// in the index, every row of the table was read. It costs 6 % more WAL for a start and its end, and 150 bytes on the disk for each
// Execution: PostgreSQL splits pages of entries of more than 24 bytes in half, also where keys only grow.

import type { Migration } from './migration.ts'

export const coverCounts: Migration = {
  version: 39,
  indexes: {
    executions_by_project_new: 'ON executions (project, status, key) INCLUDE (workspace)',
    executions_by_version_new: 'ON executions (version, status, key) INCLUDE (workspace)',
    executions_by_end_new:
      'ON executions (project, finished_at) INCLUDE (status, version, created_at, workspace) WHERE finished_at IS NOT NULL',
  },
  sql: `
DROP INDEX executions_by_project, executions_by_version, executions_by_end;
ALTER INDEX executions_by_project_new RENAME TO executions_by_project;
ALTER INDEX executions_by_version_new RENAME TO executions_by_version;
ALTER INDEX executions_by_end_new RENAME TO executions_by_end;
`,
}

/** A transaction of its own: who holds a lock on the one table may wait for the other, which would be a deadlock. */
export const coverWaits: Migration = {
  version: 40,
  indexes: {
    pending_by_name_new: 'ON pending (project, kind, name, execution) INCLUDE (since, program, workspace)',
  },
  sql: `
DROP INDEX pending_by_name;
ALTER INDEX pending_by_name_new RENAME TO pending_by_name;
`,
}
