// A schedule that is fired by hand does not hide that its next time was found before the clock was set back.

import type { Migration } from './migration.ts'

export const firedByHand: Migration = {
  version: 68,
  sql: `
-- As before; but the last time of a schedule never becomes earlier. Whoever finds next times again after the clock was set back looks for
-- schedules that fired or changed later than now.
CREATE OR REPLACE FUNCTION wes_note_fired(ws int, of_id text, execution_id text, failure text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  UPDATE triggers t SET last_execution = coalesce(execution_id, t.last_execution), last_error = failure,
    last_fired_at = CASE WHEN t.type = 'schedule' THEN greatest(t.last_fired_at, wes_now()) ELSE wes_now() END
  WHERE t.workspace = ws AND t.id = of_id
    AND (execution_id IS NOT NULL OR t.last_error IS DISTINCT FROM failure OR t.last_fired_at < wes_now() - 1000);
END $$;
`,
}
