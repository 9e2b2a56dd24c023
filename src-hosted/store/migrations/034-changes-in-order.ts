// The order of changes of one Execution. A transaction of several writes has its number from the first of them on, and may
// write a row that a later transaction has changed meanwhile: the older change was told last.

import type { Migration } from './migration.ts'

export const changesInOrder: Migration = {
  version: 34,
  sql: `
-- The newest transaction that had ended when the change was written, if that one is newer: whatever changed the row before has
-- ended. No transaction writes a number below its own, so all changes below the oldest one under way are still known.
ALTER TABLE changes ALTER COLUMN xid SET DEFAULT
  greatest(pg_current_xact_id(), (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8);
`,
}
