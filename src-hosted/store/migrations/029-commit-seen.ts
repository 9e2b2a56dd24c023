// A time-out is refused for events that its visit has not seen, and for no others: the visit knows which wait takes those that
// it has seen.

import type { Migration } from './migration.ts'

const DAY_MS = 86_400_000

export const commitSeen: Migration = {
  version: 29,
  sql: `
-- With the newest position in the journal that the visit has seen. The release before calls the one without.
CREATE FUNCTION wes_commit(
  k bigint, seen_turns int, seen_cancel bigint, seen_stirred int, seen_position int,
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
  -- An event that came in time wins over a time-out, also when it came after the visit had looked. Once the time is over, none
  -- comes in time, so the visit that looks again is not refused again.
  IF timed_out IS NOT NULL AND e.buffered > 0 AND EXISTS (
    SELECT FROM pending p JOIN inbox i ON i.execution = k AND i.name = p.name
    WHERE p.execution = k AND p.command = ANY (timed_out) AND i.position > seen_position
      AND (i.received_at < p.due_at OR i.position < p.position)
  ) THEN RETURN; END IF;

  is_all_closed := is_all_closed OR has_ended;
  -- Whoever stores an outcome stirs the row.
  IF e.stirred > 0 AND (is_all_closed OR closed IS NOT NULL) THEN
    DELETE FROM outcomes o WHERE o.execution = k AND (is_all_closed OR o.command = ANY (closed));
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
  WITH journalled AS (
    INSERT INTO journal (execution, position, workspace, at, type, command, name, attempt, source, data)
    SELECT k, e.last_position + j.n, e.workspace, j.at, j.type, j.command, j.name, j.attempt, j.source, j.data
    FROM ROWS FROM (json_to_recordset(entries) AS (
      at bigint, type smallint, command int, name text, attempt int, source int, data text)) WITH ORDINALITY
      AS j (at, type, command, name, attempt, source, data, n)
  ), answered AS (
    DELETE FROM pending p WHERE p.execution = k AND e.last_command > 0 AND (is_all_closed OR p.command = ANY (closed))
  ), awaited AS (
    INSERT INTO pending (execution, command, workspace, project, program, kind, name, since, due_at, attempt, position,
      options, performer)
    SELECT k, o.command, e.workspace, e.project, e.program, o.kind, o.name, o.since, o.due_at, o.attempt,
      e.last_position + o.entry, o.options, o.performer
    FROM json_to_recordset(opened) AS o (
      command int, kind smallint, name text, since bigint, due_at bigint, attempt int, entry int, options text, performer text)
    WHERE NOT has_ended
  ), told AS (
    INSERT INTO changes (slot, was, status, at, execution, workspace, project, program, version, error_group, execution_id)
    VALUES ((wes_commit.at / 3600000) % 26, e.status, now_status, wes_commit.at, k, e.workspace, e.project, e.program,
      e.version, of_group, e.id)
  ), used AS (
    INSERT INTO usage_deltas (workspace, project, program, day, turns, effect_attempts, compute_ms, stored_bytes)
    VALUES (e.workspace, e.project, e.program, wes_commit.at / ${DAY_MS}, coalesce(new_turns, e.turns) - e.turns, attempts,
      compute, wes_commit.bytes)
  )
  UPDATE executions x SET last_position = e.last_position + entry_count, turns = coalesce(new_turns, e.turns),
    last_command = coalesce(new_command, e.last_command), status = now_status,
    started_at = coalesce(e.started_at, begun), finished_at = finished,
    cancel_delivered = e.cancel_delivered OR is_delivered, label = coalesce(e.label, new_label),
    buffered = e.buffered - taken, buffered_bytes = e.buffered_bytes - taken_bytes,
    wake_at = CASE WHEN has_ended THEN NULL WHEN e.stirred <> seen_stirred THEN wes_commit.at ELSE wake END,
    sweeps = 0, last_invocation = invocation, error = new_error, error_group = of_group
  WHERE x.key = k;
  outcome := 'committed';
END $$;
`,
}
