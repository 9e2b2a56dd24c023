// What wakes an Execution asks for a visit also where the row is awake because the time to look at it has passed, and nobody has
// looked: then no visit was asked for. The sweeper looks 5 s after that time, so what came meanwhile was late, such as the end of an
// effect of a little more than a minute.

import type { Migration } from './migration.ts'

const DAY_MS = 86_400_000

const ACCEPT = `
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
  IF e.buffered >= most_events OR e.buffered_bytes + event_bytes > most_bytes THEN outcome := 'buffer_full'; RETURN; END IF;

  SELECT count(*) > 0, coalesce(bool_or(p.due_at IS NULL OR p.due_at > at), false) INTO is_awaited, is_in_time
    FROM pending p WHERE p.execution = k AND p.kind = 0 AND p.name = event_name;
  -- Without an open wait there is nothing to do: whoever opens one sees that the row was stirred.
  wake := is_awaited AND (e.wake_at IS NULL OR e.wake_at > at
    OR NOT EXISTS (SELECT FROM inbox i WHERE i.execution = k AND i.name = event_name));
  new_status := CASE WHEN e.status = 2 AND is_in_time THEN 1 ELSE e.status END;
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

-- It is accepted once, and asks for a visit then.
CREATE OR REPLACE FUNCTION wes_cancel(ws int, k bigint, OUT outcome text, OUT status smallint, OUT id text, OUT wake boolean)
LANGUAGE plpgsql AS $$
DECLARE e record; at bigint;
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  SELECT * INTO e FROM executions x WHERE x.key = k AND x.workspace = ws FOR NO KEY UPDATE;
  IF NOT FOUND THEN outcome := 'gone'; RETURN; END IF;
  at := wes_now(); status := e.status; id := e.id; wake := false; outcome := 'accepted';
  IF e.status IN (4, 5) THEN outcome := 'finished'; RETURN; END IF;
  IF e.status = 6 OR e.cancel_requested_at IS NOT NULL THEN RETURN; END IF;
  IF e.status = 0 THEN
    status := 6;
    UPDATE executions x SET status = 6, cancel_requested_at = at, finished_at = at, last_position = e.last_position + 2,
      wake_at = NULL, buffered = 0, buffered_bytes = 0, stirred = e.stirred + 1 WHERE x.key = k;
    INSERT INTO journal (execution, position, workspace, at, type)
    VALUES (k, e.last_position + 1, ws, at, 12), (k, e.last_position + 2, ws, at, 15);
    DELETE FROM inbox i WHERE i.execution = k;
  ELSE
    status := 3;
    wake := true;
    UPDATE executions x SET status = 3, cancel_requested_at = at, stirred = e.stirred + 1, wake_at = least(e.wake_at, at)
    WHERE x.key = k;
  END IF;
  PERFORM wes_changed(e.status, status, at, k, ws, e.project, e.program, e.version, NULL, e.id);
END $$;

-- \`seen\`: the command as it was when the new time was decided. If it is another one by now, nothing is written. Without a
-- new time it was due already, and the row is only woken.
CREATE OR REPLACE FUNCTION wes_act_early(
  ws int, k bigint, of_command int, seen_attempt int, seen_due bigint, new_due bigint,
  OUT outcome text, OUT id text, OUT wake boolean
) LANGUAGE plpgsql AS $$
DECLARE e record; at bigint;
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  SELECT * INTO e FROM executions x WHERE x.key = k AND x.workspace = ws FOR NO KEY UPDATE;
  IF NOT FOUND THEN outcome := 'gone'; RETURN; END IF;
  at := wes_now();
  IF new_due IS NOT NULL THEN
    UPDATE pending p SET due_at = new_due, early = true
    WHERE p.execution = k AND p.command = of_command AND p.attempt IS NOT DISTINCT FROM seen_attempt
      AND p.due_at IS NOT DISTINCT FROM seen_due AND p.early IS NULL;
    IF NOT FOUND THEN outcome := 'changed'; RETURN; END IF;
  END IF;
  id := e.id; wake := e.wake_at IS NULL OR e.wake_at > at OR new_due IS NOT NULL; outcome := 'accepted';
  UPDATE executions x SET stirred = e.stirred + 1, wake_at = least(e.wake_at, at) WHERE x.key = k;
  PERFORM wes_changed(e.status, e.status, at, k, ws, e.project, e.program, e.version, NULL, e.id);
END $$;
`

const OUTCOME = `
-- NULL: the attempt is not open, or has an outcome. Otherwise whether a visit is to be asked for. Not for one more outcome, while
-- others wait for the visit.
CREATE OR REPLACE FUNCTION wes_outcome(of_id text, of_command int, of_attempt int, is_ok boolean, result text, compute int)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE e record; at bigint; new_status smallint;
BEGIN
  SELECT * INTO e FROM executions x WHERE x.id = of_id FOR NO KEY UPDATE;
  IF NOT FOUND OR e.status >= 4 THEN RETURN NULL; END IF;
  PERFORM FROM pending p
    WHERE p.execution = e.key AND p.command = of_command AND p.kind = 2 AND p.attempt = of_attempt FOR KEY SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  at := wes_now();
  INSERT INTO outcomes (execution, command, workspace, attempt, ok, at, data)
  VALUES (e.key, of_command, e.workspace, of_attempt, is_ok, at, result) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN NULL; END IF;
  new_status := CASE WHEN e.status = 2 THEN 1 ELSE e.status END;
  UPDATE executions x SET stirred = e.stirred + 1, status = new_status, wake_at = least(e.wake_at, at) WHERE x.key = e.key;
  PERFORM wes_changed(e.status, new_status, at, e.key, e.workspace, e.project, e.program, e.version, NULL, e.id);
  IF compute > 0 THEN
    INSERT INTO usage_deltas (workspace, project, program, day, compute_ms)
    VALUES (e.workspace, e.project, e.program, at / ${DAY_MS}, compute);
  END IF;
  RETURN e.wake_at IS NULL OR e.wake_at > at
    OR NOT EXISTS (SELECT FROM outcomes o WHERE o.execution = e.key AND o.command <> of_command);
END $$;
`

export const askForVisits: Migration = { version: 37, sql: ACCEPT + OUTCOME }
