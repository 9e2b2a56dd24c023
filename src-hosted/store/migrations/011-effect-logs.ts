import type { Migration } from './migration.ts'

const DAY_MS = 86_400_000

export const effectLogs: Migration = {
  version: 11,
  sql: `
-- What effects log, unless the Execution has ended.
CREATE FUNCTION wes_append_logs(k bigint, entries json, entry_count int, bytes bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE e record;
BEGIN
  UPDATE executions x SET last_position = x.last_position + entry_count WHERE x.key = k AND x.status < 4
  RETURNING x.last_position - entry_count AS before, x.workspace, x.project, x.program INTO e;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM wes_append(k, e.workspace, e.before, entries);
  INSERT INTO usage_deltas (workspace, project, program, day, stored_bytes)
  VALUES (e.workspace, e.project, e.program, wes_now() / ${DAY_MS}, bytes);
END $$;
`,
}
