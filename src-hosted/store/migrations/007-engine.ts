// The writes of running Executions, one function for each. Locks are taken in one order: the Execution's row, then its
// commands.

import type { Migration } from './migration.ts'

const DAY_MS = 86_400_000
/** Of buffered events' data, read with everything else: the first ones, if they are small. */
const EARLY_PAYLOADS = 16
const SMALL_PAYLOAD_BYTES = 16_384

const LOAD = `
CREATE FUNCTION wes_load(of_id text) RETURNS TABLE (
  head json, workspace_id text, start_data text, open json, buffered json, outcomes json, at bigint
) LANGUAGE sql STABLE AS $$
  SELECT row_to_json(e), w.id,
    CASE WHEN e.turns = 0 THEN (SELECT j.data FROM journal j WHERE j.execution = e.key AND j.position = 1) END,
    CASE WHEN e.last_command > 0 THEN (SELECT json_agg(p ORDER BY p.command) FROM (
      SELECT command, kind, name, since, due_at, attempt, position, early, deaths, options
      FROM pending WHERE execution = e.key) AS p) END,
    CASE WHEN e.buffered > 0 THEN (SELECT json_agg(i ORDER BY i.position) FROM (
      SELECT i.position, i.id, i.name, i.received_at, i.bytes,
        CASE WHEN i.bytes <= ${SMALL_PAYLOAD_BYTES} AND row_number() OVER (ORDER BY i.position) <= ${EARLY_PAYLOADS}
          THEN (SELECT j.data FROM journal j WHERE j.execution = e.key AND j.position = i.position) END AS data
      FROM inbox i WHERE i.execution = e.key) AS i) END,
    CASE WHEN e.last_command > 0 THEN (SELECT json_agg(o ORDER BY o.at, o.command) FROM (
      SELECT command, attempt, ok, at, data FROM outcomes WHERE execution = e.key) AS o) END,
    wes_now()
  FROM (
    SELECT x.*, j.id AS project_id, p.id AS program_id, v.id AS version_id, v.number AS version_number
    FROM executions x JOIN versions v ON v.key = x.version JOIN programs p ON p.key = x.program
      JOIN projects j ON j.key = x.project
    WHERE x.id = of_id
  ) AS e JOIN workspaces w ON w.key = e.workspace
$$;
`

const COMMIT = `
CREATE FUNCTION wes_commit(
  k bigint, seen_turns int, seen_cancel bigint, seen_stirred int,
  new_status smallint, new_turns int, new_command int, begun bigint, finished bigint, is_delivered boolean, new_label text,
  new_error text, print text, searched text, grams int[],
  entries json, entry_count int, timed_out int[], opened json, closed int[], is_all_closed boolean,
  consumed int[], is_all_consumed boolean, wake bigint, invocation text, attempts int, compute int, bytes bigint,
  OUT outcome text, OUT first_position int, OUT now_stirred int, OUT at bigint,
  OUT now_turns int, OUT now_cancel bigint, OUT now_status smallint
) LANGUAGE plpgsql AS $$
DECLARE e record; has_ended boolean := coalesce(new_status, 0) >= 4; of_group bigint; taken int := 0; taken_bytes int := 0;
BEGIN
  SELECT * INTO e FROM executions x WHERE x.key = k FOR NO KEY UPDATE;
  IF NOT FOUND THEN outcome := 'gone'; RETURN; END IF;
  at := wes_now(); now_turns := e.turns; now_cancel := e.cancel_requested_at; now_status := e.status;
  now_stirred := e.stirred; first_position := e.last_position + 1; outcome := 'lost';
  IF e.status >= 4 OR e.turns <> seen_turns OR e.cancel_requested_at IS DISTINCT FROM seen_cancel THEN RETURN; END IF;
  -- An event that came in time wins over a time-out, also when it came after the visit had looked.
  IF timed_out IS NOT NULL AND e.buffered > 0 AND EXISTS (
    SELECT FROM pending p JOIN inbox i ON i.execution = k AND i.name = p.name
    WHERE p.execution = k AND p.command = ANY (timed_out) AND (i.received_at < p.due_at OR i.position < p.position)
      AND i.position <> ALL (coalesce(consumed, '{}'))
  ) THEN RETURN; END IF;

  IF entry_count > 0 THEN PERFORM wes_append(k, e.workspace, e.last_position, entries); END IF;
  IF has_ended OR is_all_closed THEN
    IF e.last_command > 0 THEN
      DELETE FROM pending p WHERE p.execution = k;
      DELETE FROM outcomes o WHERE o.execution = k;
    END IF;
  ELSIF closed IS NOT NULL THEN
    DELETE FROM pending p WHERE p.execution = k AND p.command = ANY (closed);
    DELETE FROM outcomes o WHERE o.execution = k AND o.command = ANY (closed);
  END IF;
  IF opened IS NOT NULL AND NOT has_ended THEN
    PERFORM wes_open(k, e.workspace, e.project, e.program, e.last_position, opened);
  END IF;
  IF e.buffered > 0 AND (has_ended OR is_all_consumed) THEN
    DELETE FROM inbox i WHERE i.execution = k;
    taken := e.buffered; taken_bytes := e.buffered_bytes;
  ELSIF consumed IS NOT NULL THEN
    WITH gone AS (DELETE FROM inbox i WHERE i.execution = k AND i.position = ANY (consumed) RETURNING i.bytes AS size)
    SELECT count(*), coalesce(sum(size), 0) INTO taken, taken_bytes FROM gone;
  END IF;
  IF print IS NOT NULL THEN
    of_group := wes_fail(k, e.workspace, e.project, e.program, finished, print, searched, grams);
  END IF;

  now_status := coalesce(new_status, e.status);
  UPDATE executions x SET last_position = e.last_position + entry_count, turns = coalesce(new_turns, e.turns),
    last_command = coalesce(new_command, e.last_command), status = now_status,
    started_at = coalesce(e.started_at, begun), finished_at = finished,
    cancel_delivered = e.cancel_delivered OR is_delivered, label = coalesce(e.label, new_label),
    buffered = e.buffered - taken, buffered_bytes = e.buffered_bytes - taken_bytes,
    wake_at = CASE WHEN has_ended THEN NULL WHEN e.stirred <> seen_stirred THEN at ELSE wake END,
    sweeps = 0, last_invocation = invocation, error = new_error, error_group = of_group
  WHERE x.key = k;
  PERFORM wes_changed(e.status, now_status, at, k, e.workspace, e.project, e.program, e.version, of_group, e.id);
  INSERT INTO usage_deltas (workspace, project, program, day, turns, effect_attempts, compute_ms, stored_bytes)
  VALUES (e.workspace, e.project, e.program, at / ${DAY_MS}, coalesce(new_turns, e.turns) - e.turns, attempts, compute, bytes);
  outcome := 'committed';
END $$;

CREATE FUNCTION wes_rest(k bigint, seen_turns int, seen_stirred int, wake bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE e record;
BEGIN
  SELECT x.turns, x.stirred, x.status, x.wake_at, x.sweeps INTO e FROM executions x WHERE x.key = k FOR NO KEY UPDATE;
  IF NOT FOUND OR e.status >= 4 THEN RETURN true; END IF;
  IF e.turns <> seen_turns OR e.stirred <> seen_stirred THEN RETURN false; END IF;
  IF e.wake_at IS DISTINCT FROM wake OR e.sweeps > 0 THEN
    UPDATE executions x SET wake_at = wake, sweeps = 0 WHERE x.key = k;
  END IF;
  RETURN true;
END $$;
`

const EFFECTS = `
CREATE FUNCTION wes_take_attempt(of_id text, of_command int, of_attempt int, by_whom text) RETURNS TABLE (
  head json, workspace_id text, open json, data text, at bigint
) LANGUAGE sql AS $$
  WITH taken AS (
    UPDATE pending p SET performer = by_whom,
      deaths = CASE WHEN p.performer <> by_whom THEN coalesce(p.deaths, 0) + 1 ELSE p.deaths END
    FROM executions e
    WHERE e.id = of_id AND e.status < 4 AND p.execution = e.key AND p.command = of_command AND p.kind = 2
      AND p.attempt = of_attempt
      AND NOT EXISTS (SELECT FROM outcomes o WHERE o.execution = e.key AND o.command = of_command)
    RETURNING p.*
  )
  SELECT json_build_object('key', e.key, 'id', e.id, 'project_id', j.id, 'program_id', m.id, 'version_id', v.id,
      'version_number', v.number), w.id, row_to_json(p), s.data, wes_now()
  FROM taken p JOIN executions e ON e.key = p.execution JOIN versions v ON v.key = e.version
    JOIN programs m ON m.key = e.program JOIN projects j ON j.key = e.project JOIN workspaces w ON w.key = e.workspace
    JOIN journal s ON s.execution = p.execution AND s.position = p.position
$$;

CREATE FUNCTION wes_let_go(of_id text, of_command int, of_attempt int, by_whom text) RETURNS void LANGUAGE sql AS $$
  UPDATE pending p SET performer = NULL FROM executions e
  WHERE e.id = of_id AND p.execution = e.key AND p.command = of_command AND p.attempt = of_attempt
    AND p.performer = by_whom
$$;

-- NULL: the attempt is not open, or has an outcome. Otherwise whether the row was asleep.
CREATE FUNCTION wes_outcome(of_id text, of_command int, of_attempt int, is_ok boolean, result text, compute int)
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
  RETURN e.wake_at IS NULL OR e.wake_at > at;
END $$;

-- A failed attempt and the time of the next one. Whether it was stored.
CREATE FUNCTION wes_retry(
  of_id text, of_command int, of_attempt int, next_attempt int, next_due bigint, failed_at bigint, failure text,
  wake bigint, compute int
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE e record; at bigint; of_name text;
BEGIN
  SELECT * INTO e FROM executions x WHERE x.id = of_id FOR NO KEY UPDATE;
  IF NOT FOUND OR e.status >= 4 THEN RETURN false; END IF;
  UPDATE pending p SET attempt = next_attempt, due_at = next_due, early = NULL, deaths = NULL, performer = NULL
  WHERE p.execution = e.key AND p.command = of_command AND p.kind = 2 AND p.attempt = of_attempt
    AND NOT EXISTS (SELECT FROM outcomes o WHERE o.execution = e.key AND o.command = of_command)
  RETURNING p.name INTO of_name;
  IF NOT FOUND THEN RETURN false; END IF;
  at := wes_now();
  INSERT INTO journal (execution, position, workspace, at, type, command, name, attempt, data)
  VALUES (e.key, e.last_position + 1, e.workspace, failed_at, 2, of_command, of_name, of_attempt, failure);
  -- Stirred, so that a visit that is under way does not put the row to sleep for longer.
  UPDATE executions x SET last_position = e.last_position + 1, stirred = e.stirred + 1, wake_at = least(e.wake_at, wake)
  WHERE x.key = e.key;
  PERFORM wes_changed(e.status, e.status, at, e.key, e.workspace, e.project, e.program, e.version, NULL, e.id);
  INSERT INTO usage_deltas (workspace, project, program, day, effect_attempts, compute_ms, stored_bytes)
  VALUES (e.workspace, e.project, e.program, at / ${DAY_MS}, 1, compute, octet_length(failure));
  RETURN true;
END $$;
`

const OVERDUE = `
-- Claims rows that nobody looked at in time: 10 s at first, then twice as long each time, an hour at most.
CREATE FUNCTION wes_overdue(grace bigint, most int) RETURNS TABLE (id text) LANGUAGE sql AS $$
  WITH late AS MATERIALIZED (
    SELECT x.key FROM executions x WHERE x.wake_at < (SELECT wes_now()) - grace ORDER BY x.wake_at LIMIT most
    FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE executions e SET sweeps = least(e.sweeps + 1, 20),
    wake_at = wes_now() + least(10000 * 2 ^ e.sweeps, 3600000)::bigint
  FROM late WHERE e.key = late.key RETURNING e.id
$$;
`

export const engine: Migration = { version: 7, sql: [LOAD, COMMIT, EFFECTS, OVERDUE].join('') }
