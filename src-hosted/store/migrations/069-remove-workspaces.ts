// Workspaces can be removed: at first all that gives access to one, then its Executions, in slices, then the rest. What others add meanwhile
// to the sums of its counts and its usage is dropped.

import { foldFunction as foldCounts } from './008-upkeep.ts'
import { foldFunction as foldUsage } from './043-usage-totals.ts'
import { INTO_BLOCKS } from './054-usage-in-blocks.ts'
import { WITHOUT_ZEROS } from './067-no-zero-counts.ts'
import type { Migration } from './migration.ts'

const isThere = (workspace: string): string =>
  `EXISTS (SELECT FROM workspaces w WHERE w.key = ${workspace} AND w.removed_at IS NULL)`

const TABLES = `
-- Of a workspace that was removed, nobody creates a bulk any more: whoever takes one would find nothing in it.
ALTER TABLE bulks ADD FOREIGN KEY (workspace) REFERENCES workspaces (key);
-- Since then it accepts nothing. Its row is removed once all the rest is.
ALTER TABLE workspaces ADD COLUMN removed_at bigint;
ALTER INDEX triggers_of_program_new RENAME TO triggers_of_program;
`

const FOLDS = [
  foldCounts(
    `-- As before; but not for workspaces that are removed.
CREATE OR REPLACE FUNCTION`,
    { ...WITHOUT_ZEROS, isKept: ` AND ${isThere('moves.workspace')}` },
  ),
  foldUsage(INTO_BLOCKS, {
    removed: 'removed',
    taken: `, taken AS (SELECT * FROM removed r WHERE ${isThere('r.workspace')})`,
  }),
].join('')

const REMOVE = `
-- From now on the workspace accepts nothing and fires nothing. May be called again.
CREATE FUNCTION wes_begin_removal(ws int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE workspaces w SET removed_at = wes_now() WHERE w.key = ws AND w.removed_at IS NULL;
  DELETE FROM tokens t WHERE t.workspace = ws;
  PERFORM FROM projects j JOIN triggers t ON t.project = j.key WHERE j.workspace = ws ORDER BY t.id FOR UPDATE OF t;
  DELETE FROM triggers t USING projects j WHERE j.workspace = ws AND t.project = j.key;
  UPDATE bulks b SET status = 'stopped' WHERE b.workspace = ws AND b.status = 'running';
END $$;

-- Executions whose status is below \`below\`, whatever they do, those that have not ended first. Locked in the order of their keys, as by
-- all others. How many.
CREATE FUNCTION wes_remove_executions(ws int, below int, most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE keys bigint[]; e record; part record; removed int := 0;
BEGIN
  SELECT array_agg(f.key) INTO keys FROM (
    SELECT x.key FROM projects j CROSS JOIN LATERAL (
      SELECT y.key FROM executions y WHERE y.project = j.key AND y.status < below ORDER BY y.status, y.key LIMIT most) AS x
    WHERE j.workspace = ws LIMIT most) AS f;
  FOR e IN SELECT x.key, x.project, x.program FROM executions x WHERE x.key = ANY (keys) ORDER BY x.key FOR UPDATE
  LOOP
    DELETE FROM executions x WHERE x.key = e.key;
    DELETE FROM pending p WHERE p.execution = e.key;
    DELETE FROM inbox i WHERE i.execution = e.key;
    DELETE FROM outcomes o WHERE o.execution = e.key;
    DELETE FROM event_keys y WHERE y.execution = e.key;
    DELETE FROM error_texts t WHERE t.execution = e.key;
    SELECT * INTO part FROM wes_remove_entries(e.key);
    IF NOT part.is_all THEN
      INSERT INTO deletions (execution, workspace, project, program) VALUES (e.key, ws, e.project, e.program);
    END IF;
    removed := removed + 1;
  END LOOP;
  RETURN removed;
END $$;

-- Some more of the journals of its Executions that were deleted. How many parts.
CREATE FUNCTION wes_remove_journals(ws int, most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE d record; part record; removed int := 0;
BEGIN
  FOR d IN SELECT x.execution FROM deletions x WHERE x.workspace = ws ORDER BY x.execution LIMIT most FOR UPDATE
  LOOP
    SELECT * INTO part FROM wes_remove_entries(d.execution);
    IF part.is_all THEN DELETE FROM deletions x WHERE x.execution = d.execution; END IF;
    removed := removed + 1;
  END LOOP;
  RETURN removed;
END $$;

-- Versions that no Execution has. How many.
CREATE FUNCTION wes_remove_versions(ws int, most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v record; removed int := 0;
BEGIN
  FOR v IN
    SELECT x.key, x.id FROM projects j JOIN versions x ON x.project = j.key WHERE j.workspace = ws ORDER BY hashtext(x.id) LIMIT most
  LOOP
    -- Whoever starts an Execution of it holds the same lock until it is stored.
    PERFORM pg_advisory_xact_lock(1, hashtext(v.id));
    CONTINUE WHEN EXISTS (SELECT FROM executions e WHERE e.version = v.key);
    DELETE FROM versions x WHERE x.key = v.key;
    removed := removed + 1;
  END LOOP;
  RETURN removed;
END $$;

-- Removes the workspace itself. False: something is left, or was added.
CREATE FUNCTION wes_end_removal(ws int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- Nobody folds what was counted or used meanwhile, and whoever does later does not find the workspace.
  PERFORM FROM change_marks m WHERE m.name = 'folded' FOR UPDATE;
  PERFORM pg_advisory_xact_lock(4, 0);
  IF EXISTS (SELECT FROM deletions d WHERE d.workspace = ws) OR EXISTS (
    SELECT FROM projects j WHERE j.workspace = ws AND (
      EXISTS (SELECT FROM executions e WHERE e.project = j.key) OR EXISTS (SELECT FROM idempotency i WHERE i.project = j.key)
      OR EXISTS (SELECT FROM error_groups g WHERE g.project = j.key))
  ) THEN RETURN false; END IF;
  DELETE FROM status_counts s USING projects j WHERE j.workspace = ws AND s.project = j.key;
  DELETE FROM usage_days u WHERE u.workspace = ws;
  DELETE FROM usage_totals u WHERE u.workspace = ws;
  DELETE FROM usage_blocks u WHERE u.workspace = ws;
  DELETE FROM usage_stored u WHERE u.workspace = ws;
  DELETE FROM projects j WHERE j.workspace = ws;
  DELETE FROM workspaces w WHERE w.key = ws;
  RETURN true;
EXCEPTION WHEN foreign_key_violation THEN RETURN false;
END $$;
`

export const removeWorkspaces: Migration = {
  version: 69,
  indexes: { triggers_of_program_new: 'ON triggers (program)' },
  sql: TABLES + FOLDS + REMOVE,
}
