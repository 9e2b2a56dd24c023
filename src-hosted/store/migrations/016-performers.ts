// Whether the performer of an attempt has died: it has if it does not answer when it is asked. A process that lost its
// connection to Restate still runs its effects.

import type { Migration } from './migration.ts'

const COLUMNS = `
ALTER TABLE pending
  -- Since when another performer asks whether the first one still performs the attempt. NULL: it does.
  ADD COLUMN asked_since bigint,
  -- When it was asked last.
  ADD COLUMN asked_at bigint;
`

const OPEN = `
-- With the performer that begins an effect at once, because it opened it.
CREATE OR REPLACE FUNCTION wes_open(k bigint, ws int, of_project int, of_program int, before int, opened json) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO pending (execution, command, workspace, project, program, kind, name, since, due_at, attempt, position,
    options, performer)
  SELECT k, o.command, ws, of_project, of_program, o.kind, o.name, o.since, o.due_at, o.attempt, before + o.entry,
    o.options, o.performer
  FROM json_to_recordset(opened) AS o (
    command int, kind smallint, name text, since bigint, due_at bigint, attempt int, entry int, options text, performer text)
$$;
`

const BEGIN = `
-- A performer that does not say for \`dead_after\` ms that it still performs the attempt has died, which counts. While
-- nobody could ask, it does not count: after a pause of that length, the time begins anew. The release before calls
-- wes_take_attempt.
CREATE FUNCTION wes_begin_attempt(
  of_id text, of_command int, of_attempt int, by_whom text, dead_after int,
  OUT outcome text, OUT head json, OUT workspace_id text, OUT effect json, OUT data text, OUT at bigint,
  OUT later_attempt int, OUT later_due bigint
) LANGUAGE plpgsql AS $$
DECLARE e record; p record; asking bigint;
BEGIN
  SELECT x.* INTO e FROM executions x WHERE x.id = of_id AND x.status < 4;
  IF NOT FOUND THEN outcome := 'gone'; RETURN; END IF;
  SELECT q.* INTO p FROM pending q WHERE q.execution = e.key AND q.command = of_command AND q.kind = 2 FOR NO KEY UPDATE;
  IF NOT FOUND OR p.attempt < of_attempt THEN outcome := 'gone'; RETURN; END IF;
  at := wes_now();
  IF EXISTS (SELECT FROM outcomes o WHERE o.execution = e.key AND o.command = of_command) THEN
    outcome := 'answered'; RETURN;
  END IF;
  IF p.attempt > of_attempt THEN
    outcome := 'later'; later_attempt := p.attempt; later_due := p.due_at; RETURN;
  END IF;
  IF p.performer <> by_whom THEN
    IF p.asked_since IS NULL AND p.asked_at > at - dead_after THEN outcome := 'performed'; RETURN; END IF;
    asking := CASE WHEN p.asked_at > at - dead_after THEN p.asked_since ELSE at END;
    IF asking > at - dead_after THEN
      UPDATE pending q SET asked_since = asking, asked_at = at WHERE q.execution = e.key AND q.command = of_command;
      outcome := 'asked'; RETURN;
    END IF;
  END IF;
  UPDATE pending q SET performer = by_whom, asked_since = NULL, asked_at = NULL,
    deaths = CASE WHEN p.performer <> by_whom THEN coalesce(p.deaths, 0) + 1 ELSE p.deaths END
  WHERE q.execution = e.key AND q.command = of_command RETURNING q.* INTO p;
  outcome := 'taken'; effect := row_to_json(p);
  SELECT json_build_object('key', e.key, 'id', e.id, 'project_id', j.id, 'program_id', m.id, 'version_id', v.id,
      'version_number', v.number), w.id, s.data
    INTO head, workspace_id, data
    FROM versions v, programs m, projects j, workspaces w, journal s
    WHERE v.key = e.version AND m.key = e.program AND j.key = e.project AND w.key = e.workspace
      AND s.execution = e.key AND s.position = p.position;
END $$;

-- Which of these attempts are open. Whoever asked is told that \`by_whom\` performs them.
CREATE FUNCTION wes_still_perform(ids text[], commands int[], attempts int[], by_whom text)
RETURNS TABLE (id text, command int, attempt int) LANGUAGE sql AS $$
  WITH open AS MATERIALIZED (
    SELECT a.id, p.execution, p.command, p.attempt, p.asked_since IS NOT NULL AND p.performer = by_whom AS is_asked
    FROM unnest(ids, commands, attempts) AS a (id, command, attempt)
      JOIN executions e ON e.id = a.id AND e.status < 4
      JOIN pending p ON p.execution = e.key AND p.command = a.command AND p.attempt = a.attempt AND p.kind = 2
  ), told AS (
    UPDATE pending q SET asked_since = NULL FROM open o
    WHERE o.is_asked AND q.execution = o.execution AND q.command = o.command AND q.performer = by_whom
  )
  SELECT o.id, o.command, o.attempt FROM open o
$$;
`

export const performers: Migration = { version: 16, sql: [COLUMNS, OPEN, BEGIN].join('') }
