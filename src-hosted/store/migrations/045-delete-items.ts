// A bulk deletes its items and counts them in one transaction. A process that was killed between the two left Executions that were
// deleted and not counted: the next one did not find them, and counted them as failed.

import type { Migration } from './migration.ts'

export const deleteItems: Migration = {
  version: 45,
  sql: `
-- Deletes the items from \`from_number\` to the one before \`to_number\`, unless the bulk was stopped or somebody else has worked on them. Rows
-- are locked in the order of their keys.
CREATE FUNCTION wes_delete_items(of_id text, from_number int, to_number int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE b record; item record; is_deleted boolean; done_now int := 0; failed_now int := 0;
BEGIN
  SELECT * INTO b FROM bulks x WHERE x.id = of_id AND x.taken = from_number AND x.status = 'running' FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  FOR item IN
    SELECT coalesce(f.key, n.key) AS key, coalesce(f.status, n.status) >= 4 AS has_ended FROM bulk_items i
      LEFT JOIN executions f ON f.key = i.execution
      LEFT JOIN executions n ON n.id = i.execution_id AND n.workspace = b.workspace
        AND (b.project_id IS NULL OR n.project = (SELECT j.key FROM projects j WHERE j.id = b.project_id))
    WHERE i.bulk = b.key AND i.number >= from_number AND i.number < to_number ORDER BY 1
  LOOP
    -- The row of one that has not ended is not locked.
    is_deleted := item.has_ended IS TRUE AND (SELECT r.outcome = 'deleted' FROM wes_remove_execution(item.key) AS r);
    done_now := done_now + is_deleted::int;
    failed_now := failed_now + (NOT is_deleted)::int;
  END LOOP;
  PERFORM wes_settle_bulk(of_id, from_number, done_now, failed_now);
END $$;
`,
}
