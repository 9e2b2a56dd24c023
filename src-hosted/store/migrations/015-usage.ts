import type { Migration } from './migration.ts'
import { protect } from './protect.ts'

export const usage: Migration = {
  version: 15,
  sql: `
-- What was used on a day. stored_bytes: by how much they grew; what was stored at its end is the sum up to it.
CREATE TABLE usage_days (
  workspace int NOT NULL,
  project int NOT NULL,
  program int NOT NULL,
  day int NOT NULL,
  executions bigint NOT NULL,
  turns bigint NOT NULL,
  effect_attempts bigint NOT NULL,
  events bigint NOT NULL,
  compute_ms bigint NOT NULL,
  stored_bytes bigint NOT NULL,
  PRIMARY KEY (workspace, day, project, program)
);

-- What a workspace stores, as it was folded last.
CREATE TABLE usage_stored (workspace int PRIMARY KEY, stored_bytes bigint NOT NULL);
${protect('usage_days', 'usage_stored')}

-- Adds up to \`most\` rows of what was used to the days: in one transaction, so that a reader of both counts each once. How
-- many; one process at a time does it.
CREATE FUNCTION wes_fold_usage(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE folded int;
BEGIN
  IF NOT pg_try_advisory_xact_lock(4, 0) THEN RETURN 0; END IF;
  WITH taken AS (
    DELETE FROM usage_deltas WHERE ctid = ANY (ARRAY (SELECT ctid FROM usage_deltas LIMIT most)) RETURNING *
  ), days AS (
    INSERT INTO usage_days AS d (workspace, project, program, day, executions, turns, effect_attempts, events, compute_ms,
      stored_bytes)
    SELECT workspace, project, program, day, sum(executions), sum(turns), sum(effect_attempts), sum(events),
      sum(compute_ms), sum(stored_bytes) FROM taken GROUP BY workspace, project, program, day
    ON CONFLICT (workspace, day, project, program) DO UPDATE SET executions = d.executions + excluded.executions,
      turns = d.turns + excluded.turns, effect_attempts = d.effect_attempts + excluded.effect_attempts,
      events = d.events + excluded.events, compute_ms = d.compute_ms + excluded.compute_ms,
      stored_bytes = d.stored_bytes + excluded.stored_bytes
  ), stored AS (
    INSERT INTO usage_stored AS s (workspace, stored_bytes)
    SELECT workspace, sum(stored_bytes) FROM taken GROUP BY workspace
    ON CONFLICT (workspace) DO UPDATE SET stored_bytes = s.stored_bytes + excluded.stored_bytes
  )
  SELECT count(*) INTO folded FROM taken;
  RETURN folded;
END $$;
`,
}
