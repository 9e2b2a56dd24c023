// Workspaces take turns with their bulks, however many each has.

import type { Migration } from './migration.ts'

/**
 * `isFree`: whether nobody works on the bulk `x` at this `moment`. `more`: further parameters. `notesTurns`: a bulk that was taken has had
 * its turn, whether any of its items ended or not.
 */
export const takeBulkFunction = (
  isFree: string,
  more = '',
  notesTurns = false,
): string => `CREATE OR REPLACE FUNCTION wes_take_bulk(most int, lease bigint${more}) RETURNS TABLE (
  workspace_id text, bulk_id text, action text, project_id text, number int, execution_id text
) LANGUAGE plpgsql AS $$
DECLARE b record; moment bigint := wes_now();
BEGIN
  SELECT * INTO b FROM bulks x WHERE x.status = 'running' AND ${isFree}
    ORDER BY (SELECT max(o.free_at) FROM bulks o WHERE o.workspace = x.workspace AND ${notesTurns ? 'o.had_turn' : 'o.taken > 0'} AND o.free_at <= moment) NULLS FIRST,
      x.free_at
    LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE bulks x SET free_at = wes_now() + lease${notesTurns ? ', had_turn = true' : ''} WHERE x.key = b.key;
  RETURN QUERY SELECT w.id, b.id::text, b.action::text, b.project_id::text, i.number, coalesce(i.execution_id, e.id)
    FROM bulk_items i JOIN workspaces w ON w.key = i.workspace LEFT JOIN executions e ON e.key = i.execution
    WHERE i.bulk = b.key AND i.number >= b.taken AND i.number < b.taken + most ORDER BY i.number;
END $$;
`

export const bulksInTurn: Migration = {
  version: 50,
  sql: `
-- When a workspace's bulks were worked on last.
CREATE INDEX bulks_worked_on ON bulks (workspace, free_at) WHERE taken > 0;

-- The next items of the bulk that has waited longest, of the workspace that has waited longest, for as long as the lease. Items that are
-- still worked on do not count.
${takeBulkFunction('x.free_at <= moment')}`,
}
