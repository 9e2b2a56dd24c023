// Webhooks note refused calls too, which anybody can send who knows the address.

import type { Migration } from './migration.ts'

export const noteRefused: Migration = {
  version: 30,
  sql: `
-- A failure that repeats itself is written once a second.
CREATE OR REPLACE FUNCTION wes_note_fired(ws int, of_id text, execution_id text, failure text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  UPDATE triggers t SET last_fired_at = wes_now(), last_execution = coalesce(execution_id, t.last_execution),
    last_error = failure
  WHERE t.workspace = ws AND t.id = of_id
    AND (execution_id IS NOT NULL OR t.last_error IS DISTINCT FROM failure OR t.last_fired_at < wes_now() - 1000);
END $$;
`,
}
