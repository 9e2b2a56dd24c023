// A workspace has at most so many unfinished bulks, also where several are created at the same moment.

import type { Migration } from './migration.ts'

/** Of one workspace. */
const MOST_RUNNING = 20

export const bulksAtOnce: Migration = {
  version: 46,
  sql: `
-- Whether there was room for it. \`keys\`: what matched, or \`ids\`: what was named. Those of one workspace are created one after the other.
CREATE OR REPLACE FUNCTION wes_create_bulk(
  ws int, new_id text, new_action text, of_project text, keys bigint[], ids text[]
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE bulk_key bigint; found int := coalesce(cardinality(keys), cardinality(ids), 0);
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  PERFORM pg_advisory_xact_lock(5, ws);
  IF (SELECT count(*) FROM bulks b WHERE b.workspace = ws AND b.status = 'running') >= ${MOST_RUNNING} THEN
    RETURN false;
  END IF;
  INSERT INTO bulks (workspace, id, action, status, matched, created_at, free_at, project_id)
  VALUES (ws, new_id, new_action, CASE WHEN found = 0 THEN 'done' ELSE 'running' END, found, wes_now(), wes_now(), of_project)
  RETURNING key INTO bulk_key;
  INSERT INTO bulk_items (bulk, number, workspace, execution, execution_id)
  SELECT bulk_key, i.n - 1, ws, i.key, i.id
  FROM ROWS FROM (unnest(keys), unnest(ids)) WITH ORDINALITY AS i (key, id, n);
  RETURN true;
END $$;
`,
}
