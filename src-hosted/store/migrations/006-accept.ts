// Requests of callers, one function for each: it locks the Execution's row, decides as src-runtime/engine/accept.ts does, and
// writes. Every function that names a workspace sets it for row-level security first.

import type { Migration } from './migration.ts'

/** Kinds of advisory locks. */
const VERSION_LOCK = 1
const DAY_MS = 86_400_000

const PARTS = `
CREATE FUNCTION wes_append(k bigint, ws int, before int, entries json) RETURNS void LANGUAGE sql AS $$
  INSERT INTO journal (execution, position, workspace, at, type, command, name, attempt, source, data)
  SELECT k, before + n, ws, e.at, e.type, e.command, e.name, e.attempt, e.source, e.data
  FROM ROWS FROM (json_to_recordset(entries) AS (
    at bigint, type smallint, command int, name text, attempt int, source int, data text)) WITH ORDINALITY
    AS e (at, type, command, name, attempt, source, data, n)
$$;

-- \`entry\`: the number of its entry among those of the same write, from 1.
CREATE FUNCTION wes_open(k bigint, ws int, of_project int, of_program int, before int, opened json) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO pending (execution, command, workspace, project, program, kind, name, since, due_at, attempt, position, options)
  SELECT k, o.command, ws, of_project, of_program, o.kind, o.name, o.since, o.due_at, o.attempt, before + o.entry, o.options
  FROM json_to_recordset(opened) AS o (
    command int, kind smallint, name text, since bigint, due_at bigint, attempt int, entry int, options text)
$$;

CREATE FUNCTION wes_changed(
  was smallint, now_is smallint, at bigint, k bigint, ws int, of_project int, of_program int, of_version int,
  of_group bigint, of_id text
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO changes (slot, was, status, at, execution, workspace, project, program, version, error_group, execution_id)
  VALUES ((at / 3600000) % 26, was, now_is, at, k, ws, of_project, of_program, of_version, of_group, of_id)
$$;

-- The group of a failure. Its counts are folded from the changes; see wes_fold. The lock keeps it from being removed.
CREATE FUNCTION wes_fail(k bigint, ws int, of_project int, of_program int, at bigint, print text, searched text, grams int[])
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE found_key bigint;
BEGIN
  INSERT INTO error_texts (execution, workspace, text, grams)
  VALUES (k, ws, searched, ARRAY(SELECT a.gram # hashint4(of_project) FROM unnest(grams) AS a (gram)));
  LOOP
    SELECT key INTO found_key FROM error_groups g WHERE g.program = of_program AND g.fingerprint = print FOR KEY SHARE;
    EXIT WHEN FOUND;
    INSERT INTO error_groups (first_at, last_at, count, workspace, project, program, fingerprint)
    VALUES (at, at, 0, ws, of_project, of_program, print) ON CONFLICT DO NOTHING;
  END LOOP;
  RETURN found_key;
END $$;
`

/** `lookAgain`: what 049 adds once the row of a key was looked for. `changedAt`: when the status changed that it stores; 066 gives another. */
export const startFunction = (create: string, lookAgain = '', changedAt = 'at'): string => `
${create} wes_start(
  ws int, new_id text, of_version text, again text, of_trigger text, of_trigger_type text, data text, sent_key text, sent_hash text,
  -- Of the turns that ran ahead; NULL without them.
  created bigint, new_status smallint, new_turns int, new_command int, begun bigint, finished bigint, new_label text,
  new_error text, print text, searched text, grams int[], entries json, entry_count int, opened json,
  wake bigint, attempts int, compute int, bytes bigint,
  OUT outcome text, OUT k bigint, OUT at bigint, OUT repeated_hash text
) LANGUAGE plpgsql AS $$
DECLARE v record; of_group bigint; earlier record;
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  PERFORM pg_advisory_xact_lock_shared(${VERSION_LOCK}, hashtext(of_version));
  SELECT key, project, program INTO v FROM versions WHERE id = of_version;
  IF NOT FOUND THEN outcome := 'version_gone'; RETURN; END IF;
  at := coalesce(created, wes_now());
  k := wes_first_key(at) + nextval('execution_keys');

  IF sent_key IS NOT NULL THEN
    LOOP
      INSERT INTO idempotency (project, workspace, execution, created_at, key, body_hash)
      VALUES (v.project, ws, k, wes_now(), sent_key, sent_hash) ON CONFLICT DO NOTHING;
      EXIT WHEN FOUND;
      -- Its own statement, so that it sees what the insert waited for.
      SELECT i.execution, i.body_hash, i.created_at > wes_now() - ${DAY_MS} AND
          EXISTS (SELECT FROM executions e WHERE e.key = i.execution) AS is_kept INTO earlier
        FROM idempotency i WHERE i.project = v.project AND i.key = sent_key FOR UPDATE OF i;${lookAgain}
      IF FOUND AND earlier.is_kept THEN
        outcome := 'repeated'; k := earlier.execution; repeated_hash := earlier.body_hash; RETURN;
      END IF;
      DELETE FROM idempotency i WHERE i.project = v.project AND i.key = sent_key;
    END LOOP;
  END IF;

  IF print IS NOT NULL THEN
    of_group := wes_fail(k, ws, v.project, v.program, finished, print, searched, grams);
  END IF;
  INSERT INTO executions (key, created_at, started_at, finished_at, wake_at, error_group, workspace, project, program,
    version, last_position, turns, last_command, buffered, buffered_bytes, stirred, status, id, again_of,
    trigger_id, trigger_type, label, error)
  VALUES (k, at, begun, finished, CASE WHEN created IS NULL THEN at ELSE wake END, of_group, ws, v.project, v.program,
    v.key, 1 + entry_count, coalesce(new_turns, 0), coalesce(new_command, 0), 0, 0, 0, coalesce(new_status, 0::smallint),
    new_id, again, of_trigger, of_trigger_type, new_label, new_error);
  INSERT INTO journal (execution, position, workspace, at, type, data) VALUES (k, 1, ws, at, 0, data);
  IF entry_count > 0 THEN PERFORM wes_append(k, ws, 1, entries); END IF;
  IF opened IS NOT NULL THEN PERFORM wes_open(k, ws, v.project, v.program, 1, opened); END IF;
  PERFORM wes_changed(NULL, coalesce(new_status, 0::smallint), ${changedAt}, k, ws, v.project, v.program, v.key, of_group, new_id);
  INSERT INTO usage_deltas (workspace, project, program, day, executions, turns, effect_attempts, compute_ms, stored_bytes)
  VALUES (ws, v.project, v.program, at / ${DAY_MS}, 1, coalesce(new_turns, 0), attempts, compute, bytes);
  outcome := 'started';
END $$;
`

const RECEIVE = `
CREATE FUNCTION wes_receive(
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
  wake := is_awaited AND (e.wake_at IS NULL OR e.wake_at > at);
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
`

const CANCEL = `
CREATE FUNCTION wes_cancel(ws int, k bigint, OUT outcome text, OUT status smallint, OUT id text, OUT wake boolean)
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
    wake := e.wake_at IS NULL OR e.wake_at > at;
    UPDATE executions x SET status = 3, cancel_requested_at = at, stirred = e.stirred + 1, wake_at = least(e.wake_at, at)
    WHERE x.key = k;
  END IF;
  PERFORM wes_changed(e.status, status, at, k, ws, e.project, e.program, e.version, NULL, e.id);
END $$;
`

const ACT_EARLY = `
-- \`seen\`: the command as it was when the new time was decided. If it is another one by now, nothing is written. Without a
-- new time it was due already, and the row is only woken.
CREATE FUNCTION wes_act_early(
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
  id := e.id; wake := e.wake_at IS NULL OR e.wake_at > at; outcome := 'accepted';
  UPDATE executions x SET stirred = e.stirred + 1, wake_at = least(e.wake_at, at) WHERE x.key = k;
  PERFORM wes_changed(e.status, e.status, at, k, ws, e.project, e.program, e.version, NULL, e.id);
END $$;
`

const DELETE = `
-- The first entries of a journal, as many as are removed at once. \`is_all\`: none is left.
CREATE FUNCTION wes_remove_entries(k bigint, OUT bytes bigint, OUT is_all boolean) LANGUAGE plpgsql AS $$
DECLARE last_one int;
BEGIN
  SELECT max(position) INTO last_one FROM (
    SELECT position, n, sum(size) OVER (ORDER BY position) AS total FROM (
      SELECT position, row_number() OVER (ORDER BY position) AS n, coalesce(octet_length(data), 0) AS size FROM (
        SELECT position, data FROM journal WHERE execution = k ORDER BY position LIMIT 200) AS f) AS s) AS t
  WHERE n = 1 OR total <= 1048576;
  WITH removed AS (DELETE FROM journal WHERE execution = k AND position <= last_one RETURNING octet_length(data) AS size)
  SELECT coalesce(sum(size), 0) INTO bytes FROM removed;
  is_all := NOT EXISTS (SELECT FROM journal WHERE execution = k);
END $$;

CREATE FUNCTION wes_remove_execution(k bigint, OUT outcome text, OUT status smallint) LANGUAGE plpgsql AS $$
DECLARE e record; at bigint; part record;
BEGIN
  SELECT * INTO e FROM executions x WHERE x.key = k FOR UPDATE;
  IF NOT FOUND THEN outcome := 'gone'; RETURN; END IF;
  status := e.status;
  IF e.status < 4 THEN outcome := 'not_finished'; RETURN; END IF;
  at := wes_now(); outcome := 'deleted';
  DELETE FROM executions x WHERE x.key = k;
  DELETE FROM event_keys y WHERE y.execution = k;
  DELETE FROM error_texts t WHERE t.execution = k;
  SELECT * INTO part FROM wes_remove_entries(k);
  IF NOT part.is_all THEN
    INSERT INTO deletions (execution, workspace, project, program) VALUES (k, e.workspace, e.project, e.program);
  END IF;
  PERFORM wes_changed(e.status, NULL, at, k, e.workspace, e.project, e.program, e.version, e.error_group, e.id);
  INSERT INTO usage_deltas (workspace, project, program, day, stored_bytes)
  VALUES (e.workspace, e.project, e.program, at / ${DAY_MS}, -part.bytes);
END $$;

CREATE FUNCTION wes_delete(ws int, k bigint, OUT outcome text, OUT status smallint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  SELECT r.outcome, r.status INTO outcome, status FROM wes_remove_execution(k) AS r;
END $$;
`

export const accept: Migration = {
  version: 6,
  sql: [PARTS, startFunction('CREATE FUNCTION'), RECEIVE, CANCEL, ACT_EARLY, DELETE].join(''),
}
