import type { Migration } from './migration.ts'

/** Of one workspace, at the same time. */
const MOST_RUNNING = 20

export const bulkWork: Migration = {
  version: 10,
  sql: `
-- Whether there was room for it. \`keys\`: what matched, or \`ids\`: what was named.
CREATE FUNCTION wes_create_bulk(ws int, new_id text, new_action text, of_project text, keys bigint[], ids text[])
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE bulk_key bigint; found int := coalesce(cardinality(keys), cardinality(ids), 0);
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
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

CREATE FUNCTION wes_stop_bulk(ws int, of_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  UPDATE bulks b SET status = 'stopped' WHERE b.workspace = ws AND b.id = of_id AND b.status = 'running';
END $$;

-- The next items of the bulk that has waited longest, for as long as the lease.
CREATE FUNCTION wes_take_bulk(most int, lease bigint) RETURNS TABLE (
  workspace_id text, bulk_id text, action text, project_id text, number int, execution_id text
) LANGUAGE plpgsql AS $$
DECLARE b record;
BEGIN
  SELECT * INTO b FROM bulks x WHERE x.status = 'running' AND x.free_at <= wes_now()
    ORDER BY x.free_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE bulks x SET free_at = wes_now() + lease WHERE x.key = b.key;
  RETURN QUERY SELECT w.id, b.id::text, b.action::text, b.project_id::text, i.number, coalesce(i.execution_id, e.id)
    FROM bulk_items i JOIN workspaces w ON w.key = i.workspace LEFT JOIN executions e ON e.key = i.execution
    WHERE i.bulk = b.key AND i.number >= b.taken AND i.number < b.taken + most ORDER BY i.number;
END $$;

-- Up to which item it was worked on. Whether somebody else did that before.
CREATE FUNCTION wes_settle_bulk(of_id text, from_number int, done_now int, failed_now int) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE bulks b SET taken = b.taken + done_now + failed_now, done = b.done + done_now, failed = b.failed + failed_now,
    free_at = wes_now(),
    status = CASE WHEN b.status = 'running' AND b.taken + done_now + failed_now >= b.matched THEN 'done' ELSE b.status END
  WHERE b.id = of_id AND b.taken = from_number;
  RETURN FOUND;
END $$;

-- Those that ended more than a day ago.
CREATE FUNCTION wes_remove_bulks(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE removed int;
BEGIN
  DELETE FROM bulks WHERE key IN (
    SELECT b.key FROM bulks b WHERE b.status <> 'running' AND b.free_at < wes_now() - 86400000
    ORDER BY b.free_at LIMIT most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN removed;
END $$;
CREATE INDEX bulks_ended ON bulks (free_at) WHERE status <> 'running';
`,
}
