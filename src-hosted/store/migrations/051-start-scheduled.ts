// Starts of schedules, of which the Trigger was read before: another call may have disabled, changed or removed it since.

import type { Migration } from './migration.ts'

export const startScheduled: Migration = {
  version: 51,
  sql: `
-- Whether none of these Triggers was replaced or removed since it was seen. They stay as they are until the transaction has ended. The lock
-- waits for a replacement, and not for what firing writes.
CREATE FUNCTION wes_keep_triggers(ws int, ids text[], seen_at bigint[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE kept int;
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  PERFORM FROM unnest(ids, seen_at) AS s (id, at)
    JOIN triggers t ON t.workspace = ws AND t.id = s.id AND t.updated_at = s.at ORDER BY t.id FOR KEY SHARE OF t;
  GET DIAGNOSTICS kept = ROW_COUNT;
  RETURN kept = cardinality(ids);
END $$;

-- What wes_start_newest does, unless the Trigger was replaced or removed since it was seen.
CREATE FUNCTION wes_start_scheduled(
  ws int, new_id text, of_version text, again text, of_trigger text, of_trigger_type text, data text, sent_key text, sent_hash text,
  created bigint, new_status smallint, new_turns int, new_command int, begun bigint, finished bigint, new_label text,
  new_error text, print text, searched text, grams int[], entries json, entry_count int, opened json,
  wake bigint, attempts int, compute int, bytes bigint, seen_at bigint,
  OUT outcome text, OUT k bigint, OUT at bigint, OUT repeated_hash text
) LANGUAGE plpgsql AS $$
BEGIN
  IF NOT wes_keep_triggers(ws, ARRAY[of_trigger], ARRAY[seen_at]) THEN outcome := 'trigger_changed'; RETURN; END IF;
  SELECT s.outcome, s.k, s.at, s.repeated_hash INTO outcome, k, at, repeated_hash
  FROM wes_start_newest(ws, new_id, of_version, again, of_trigger, of_trigger_type, data, sent_key, sent_hash, created, new_status,
    new_turns, new_command, begun, finished, new_label, new_error, print, searched, grams, entries, entry_count, opened,
    wake, attempts, compute, bytes) AS s;
END $$;

-- What wes_start_many does, unless one of the Triggers was replaced or removed since it was seen: then it stores nothing, and has no rows.
CREATE FUNCTION wes_start_many_scheduled(ws int, of_versions text[], starts json, of_triggers text[], seen_at bigint[])
RETURNS TABLE (outcome text, k bigint, at bigint) LANGUAGE plpgsql AS $$
BEGIN
  IF wes_keep_triggers(ws, of_triggers, seen_at) THEN
    RETURN QUERY SELECT * FROM wes_start_many(ws, of_versions, starts);
  END IF;
END $$;
`,
}
