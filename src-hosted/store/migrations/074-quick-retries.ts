// A failed attempt of an effect that is all its Execution waits for moves the time at which the Execution is looked at. The least of all
// times stayed, so Executions with quick retries were swept every few seconds.

import type { Migration } from './migration.ts'

const DAY_MS = 86_400_000

export const quickRetries: Migration = {
  version: 74,
  sql: `
CREATE OR REPLACE FUNCTION wes_retry(
  of_id text, of_command int, of_attempt int, next_attempt int, next_due bigint, failed_at bigint, failure text,
  wake bigint, compute int
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE e record; at bigint; of_name text; is_all boolean;
BEGIN
  SELECT * INTO e FROM executions x WHERE x.id = of_id FOR NO KEY UPDATE;
  IF NOT FOUND OR e.status >= 4 THEN RETURN false; END IF;
  UPDATE pending p SET attempt = next_attempt, due_at = next_due, early = NULL, deaths = NULL, performer = NULL
  WHERE p.execution = e.key AND p.command = of_command AND p.kind = 2 AND p.attempt = of_attempt
    AND NOT EXISTS (SELECT FROM outcomes o WHERE o.execution = e.key AND o.command = of_command)
  RETURNING p.name INTO of_name;
  IF NOT FOUND THEN RETURN false; END IF;
  at := wes_now();
  is_all := e.wake_at > at AND e.buffered = 0 AND e.cancel_requested_at IS NULL
    AND NOT EXISTS (SELECT FROM pending p WHERE p.execution = e.key AND p.command <> of_command);
  INSERT INTO journal (execution, position, workspace, at, type, command, name, attempt, data)
  VALUES (e.key, e.last_position + 1, e.workspace, failed_at, 2, of_command, of_name, of_attempt, failure);
  -- Stirred, so that a visit that is under way does not put the row to sleep for longer.
  UPDATE executions x SET last_position = e.last_position + 1, stirred = e.stirred + 1,
    wake_at = CASE WHEN is_all THEN wake ELSE least(e.wake_at, wake) END
  WHERE x.key = e.key;
  PERFORM wes_changed(e.status, e.status, at, e.key, e.workspace, e.project, e.program, e.version, NULL, e.id);
  INSERT INTO usage_deltas (workspace, project, program, day, effect_attempts, compute_ms, stored_bytes)
  VALUES (e.workspace, e.project, e.program, at / ${DAY_MS}, 1, compute, octet_length(failure));
  RETURN true;
END $$;
`,
}
