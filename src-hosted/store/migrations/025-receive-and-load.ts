// An event, and in the same call what the visit reads that follows it in this process.

import type { Migration } from './migration.ts'

export const receiveAndLoad: Migration = {
  version: 25,
  sql: `
-- As wes_receive, and where the Execution was asleep, as wes_load after it.
CREATE FUNCTION wes_receive_and_load(
  ws int, k bigint, event_id text, event_name text, event_data text, event_bytes int, sent_key text, sent_hash text,
  most_events int, most_bytes bigint,
  OUT outcome text, OUT at bigint, OUT status smallint, OUT id text, OUT wake boolean, OUT kept_position int, OUT kept_hash text,
  OUT head json, OUT workspace_id text, OUT start_data text, OUT open json, OUT buffered json, OUT outcomes json
) LANGUAGE plpgsql AS $$
BEGIN
  SELECT r.outcome, r.at, r.status, r.id, r.wake, r.kept_position, r.kept_hash
    INTO outcome, at, status, id, wake, kept_position, kept_hash
    FROM wes_receive(ws, k, event_id, event_name, event_data, event_bytes, sent_key, sent_hash, most_events, most_bytes) AS r;
  IF wake THEN
    SELECT l.head, l.workspace_id, l.start_data, l.open, l.buffered, l.outcomes
      INTO head, workspace_id, start_data, open, buffered, outcomes
      FROM wes_load(id) AS l;
  END IF;
END $$;
`,
}
