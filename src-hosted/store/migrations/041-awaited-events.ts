// An event that ends a wait is accepted also where the buffer is full: it does not stay there, and the Execution would wait for ever.

import type { Migration } from './migration.ts'

const DAY_MS = 86_400_000

const RECEIVE = `
-- \`wake\`: a visit is to be asked for. Not for one more event of this name, while others wait for the visit.
CREATE OR REPLACE FUNCTION wes_receive(
  ws int, k bigint, event_id text, event_name text, event_data text, event_bytes int, sent_key text, sent_hash text,
  most_events int, most_bytes bigint,
  OUT outcome text, OUT at bigint, OUT status smallint, OUT id text, OUT wake boolean, OUT kept_position int, OUT kept_hash text
) LANGUAGE plpgsql AS $$
DECLARE e record; is_awaited boolean; is_in_time boolean; new_status smallint;
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  SELECT * INTO e FROM executions x WHERE x.key = k AND x.workspace = ws FOR NO KEY UPDATE;
  IF NOT FOUND THEN outcome := 'gone'; RETURN; END IF;
  at := wes_now(); status := e.status; id := e.id;
  IF sent_key IS NOT NULL THEN
    SELECT y.position, y.body_hash INTO kept_position, kept_hash FROM event_keys y
      WHERE y.execution = k AND y.key = sent_key AND y.created_at > at - ${DAY_MS};
    IF FOUND THEN outcome := 'repeated'; RETURN; END IF;
  END IF;
  IF e.status >= 4 THEN outcome := 'finished'; RETURN; END IF;

  SELECT count(*) > 0, coalesce(bool_or(p.due_at IS NULL OR p.due_at > at), false) INTO is_awaited, is_in_time
    FROM pending p WHERE p.execution = k AND p.kind = 0 AND p.name = event_name;
  new_status := CASE WHEN e.status = 2 AND is_in_time THEN 1 ELSE e.status END;
  IF (e.buffered >= most_events OR e.buffered_bytes + event_bytes > most_bytes) AND new_status = e.status THEN
    outcome := 'buffer_full'; RETURN;
  END IF;
  -- Without an open wait there is nothing to do: whoever opens one sees that the row was stirred.
  wake := is_awaited AND (e.wake_at IS NULL OR e.wake_at > at
    OR NOT EXISTS (SELECT FROM inbox i WHERE i.execution = k AND i.name = event_name));
  UPDATE executions x SET last_position = e.last_position + 1, buffered = e.buffered + 1,
    buffered_bytes = e.buffered_bytes + event_bytes, stirred = e.stirred + 1, status = new_status,
    wake_at = CASE WHEN is_awaited THEN least(e.wake_at, at) ELSE e.wake_at END
  WHERE x.key = k;
  INSERT INTO journal (execution, position, workspace, at, type, name, data)
  VALUES (k, e.last_position + 1, ws, at, 9, event_name, event_data);
  INSERT INTO inbox (execution, position, workspace, received_at, bytes, id, name)
  VALUES (k, e.last_position + 1, ws, at, event_bytes, event_id, event_name);
  IF sent_key IS NOT NULL THEN
    INSERT INTO event_keys (execution, key, workspace, position, created_at, body_hash)
    VALUES (k, sent_key, ws, e.last_position + 1, at, sent_hash)
    ON CONFLICT (execution, key) DO UPDATE SET position = excluded.position, created_at = at, body_hash = sent_hash;
  END IF;
  PERFORM wes_changed(e.status, new_status, at, k, ws, e.project, e.program, e.version, NULL, e.id);
  INSERT INTO usage_deltas (workspace, project, program, day, events, stored_bytes)
  VALUES (ws, e.project, e.program, at / ${DAY_MS}, 1, event_bytes);
  status := new_status; outcome := 'received';
END $$;
`

export const awaitedEvents: Migration = { version: 41, sql: RECEIVE }
