// Turns that are committed in one transaction, in one set of statements: PostgreSQL spent more on beginning each statement than on its
// rows.

import type { Migration } from './migration.ts'

const DAY_MS = 86_400_000

/**
 * Whether `list` names a row, by one scan of the table's key. A plan that was made while a table was almost empty is kept for some time,
 * and would read the whole table for a join, which `IS TRUE` keeps PostgreSQL from making of it.
 */
export const isOneOf = (number: string, list: string): string =>
  `execution = ANY (ARRAY(SELECT execution FROM ${list})) AND ${number} = ANY (ARRAY(SELECT number FROM ${list}))
      AND ((execution, ${number}) IN (SELECT execution, number FROM ${list})) IS TRUE`

export const commitMany: Migration = {
  version: 57,
  sql: `
-- What wes_commit does, for each of \`commits\`, which have no failure and are of different Executions of one workspace. \`keys\`: of
-- these Executions. The rows are in the order of the keys, and so are the locks.
CREATE FUNCTION wes_commit_many(keys bigint[], commits json) RETURNS TABLE (
  outcome text, first_position int, now_stirred int, at bigint, now_turns int, now_cancel bigint, now_status smallint
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE moment bigint;
BEGIN
  PERFORM FROM executions x WHERE x.key = ANY (keys) ORDER BY x.key FOR NO KEY UPDATE;
  moment := wes_now();
  RETURN QUERY
  -- Its snapshot is taken once the rows are locked, so nobody changes what it reads of them.
  WITH asked AS MATERIALIZED (
    SELECT c.*, e.workspace, e.project, e.program, e.version, e.id, e.status AS was, e.stirred, e.turns AS had_turns, e.last_position,
      e.last_command, e.cancel_requested_at, coalesce(c.status >= 4, false) AS has_ended,
      CASE WHEN e.key IS NULL THEN 'gone'
        WHEN e.status >= 4 OR e.turns <> c.seen_turns OR e.cancel_requested_at IS DISTINCT FROM c.seen_cancel THEN 'lost'
        -- See wes_commit.
        WHEN c.timed_out IS NOT NULL AND e.buffered > 0 AND EXISTS (
          SELECT FROM pending p JOIN inbox i ON i.execution = c.k AND i.name = p.name
          WHERE p.execution = c.k AND p.command = ANY (c.timed_out) AND i.position > c.seen_position
            AND (i.received_at < p.due_at OR i.position < p.position)) THEN 'lost'
        ELSE 'committed' END AS outcome
    FROM json_to_recordset(commits) AS c (
        k bigint, seen_turns int, seen_cancel bigint, seen_stirred int, seen_position int, status smallint, turns int, command int,
        begun bigint, finished bigint, delivered boolean, label text, entries json, entry_count int, timed_out int[], opened json,
        closed int[], all_closed boolean, consumed int[], all_consumed boolean, wake bigint, invocation text, attempts int,
        compute int, bytes bigint)
      LEFT JOIN executions e ON e.key = c.k AND e.key = ANY (keys)
  ), new AS MATERIALIZED (
    SELECT * FROM asked WHERE outcome = 'committed'
  ), closed (execution, number) AS MATERIALIZED (
    SELECT execution, command FROM pending WHERE execution = ANY (ARRAY(SELECT k FROM new WHERE all_closed OR has_ended))
    UNION ALL
    SELECT k, unnest(closed) FROM new WHERE NOT (all_closed OR has_ended)
  ), answered AS (
    DELETE FROM pending WHERE ${isOneOf('command', 'closed')}
  ), delivered AS (
    DELETE FROM outcomes WHERE ${isOneOf('command', 'closed')}
  ), consumed (execution, number) AS MATERIALIZED (
    SELECT execution, position FROM inbox WHERE execution = ANY (ARRAY(SELECT k FROM new WHERE all_consumed OR has_ended))
    UNION ALL
    SELECT k, unnest(consumed) FROM new WHERE NOT (all_consumed OR has_ended)
  ), taken AS (
    DELETE FROM inbox WHERE ${isOneOf('position', 'consumed')} RETURNING execution, bytes
  ), journalled AS (
    INSERT INTO journal (execution, position, workspace, at, type, command, name, attempt, source, data)
    SELECT w.k, w.last_position + j.n, w.workspace, j.at, j.type, j.command, j.name, j.attempt, j.source, j.data
    FROM new w CROSS JOIN LATERAL ROWS FROM (json_to_recordset(w.entries) AS (
      at bigint, type smallint, command int, name text, attempt int, source int, data text)) WITH ORDINALITY
      AS j (at, type, command, name, attempt, source, data, n)
  ), awaited AS (
    INSERT INTO pending (execution, command, workspace, project, program, kind, name, since, due_at, attempt, position, options, performer)
    SELECT w.k, o.command, w.workspace, w.project, w.program, o.kind, o.name, o.since, o.due_at, o.attempt,
      w.last_position + o.entry, o.options, o.performer
    FROM new w CROSS JOIN LATERAL json_to_recordset(w.opened) AS o (
      command int, kind smallint, name text, since bigint, due_at bigint, attempt int, entry int, options text, performer text)
    WHERE NOT w.has_ended
  ), told AS (
    INSERT INTO changes (slot, was, status, at, execution, workspace, project, program, version, execution_id)
    SELECT (moment / 3600000) % 26, was, coalesce(status, was), moment, k, workspace, project, program, version, id FROM new
  ), used AS (
    INSERT INTO usage_deltas (workspace, project, program, day, turns, effect_attempts, compute_ms, stored_bytes)
    SELECT workspace, project, program, moment / ${DAY_MS}, sum(coalesce(turns, had_turns) - had_turns), sum(attempts), sum(compute),
      sum(bytes)
    FROM new GROUP BY workspace, project, program
  ), advanced AS (
    UPDATE executions x SET last_position = x.last_position + w.entry_count, turns = coalesce(w.turns, x.turns),
      last_command = coalesce(w.command, x.last_command), status = coalesce(w.status, x.status),
      started_at = coalesce(x.started_at, w.begun), finished_at = w.finished,
      cancel_delivered = x.cancel_delivered OR w.delivered, label = coalesce(x.label, w.label),
      buffered = x.buffered - coalesce(t.count, 0), buffered_bytes = x.buffered_bytes - coalesce(t.bytes, 0),
      wake_at = CASE WHEN w.has_ended THEN NULL WHEN x.stirred <> w.seen_stirred THEN moment ELSE w.wake END,
      sweeps = 0, last_invocation = w.invocation
    FROM new w LEFT JOIN (SELECT execution, count(*), sum(bytes) AS bytes FROM taken GROUP BY execution) t ON t.execution = w.k
    WHERE x.key = w.k AND x.key = ANY (keys)
  )
  SELECT outcome, last_position + 1, stirred, moment, had_turns, cancel_requested_at, was FROM asked ORDER BY k;
END $$;
`,
}
