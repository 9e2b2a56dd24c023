// After PostgreSQL's clock was set back, what a process that died had leased was kept until the clock came to the end of that lease again.

import type { Migration } from './migration.ts'

export const boundedLeases: Migration = {
  version: 60,
  sql: `
-- See 050-bulks-in-turn.ts. A lease whose end is further away than a lease is long was made before the clock was set back.
CREATE OR REPLACE FUNCTION wes_take_bulk(most int, lease bigint) RETURNS TABLE (
  workspace_id text, bulk_id text, action text, project_id text, number int, execution_id text
) LANGUAGE plpgsql AS $$
DECLARE b record; moment bigint := wes_now();
BEGIN
  SELECT * INTO b FROM bulks x WHERE x.status = 'running' AND (x.free_at <= moment OR x.free_at > moment + lease)
    ORDER BY (SELECT max(o.free_at) FROM bulks o WHERE o.workspace = x.workspace AND o.taken > 0 AND o.free_at <= moment) NULLS FIRST,
      x.free_at
    LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE bulks x SET free_at = wes_now() + lease WHERE x.key = b.key;
  RETURN QUERY SELECT w.id, b.id::text, b.action::text, b.project_id::text, i.number, coalesce(i.execution_id, e.id)
    FROM bulk_items i JOIN workspaces w ON w.key = i.workspace LEFT JOIN executions e ON e.key = i.execution
    WHERE i.bulk = b.key AND i.number >= b.taken AND i.number < b.taken + most ORDER BY i.number;
END $$;

-- See 035-first-death.ts. A time to come at which somebody asked is of before the clock was set back, and does not count.
CREATE OR REPLACE FUNCTION wes_claim_attempt(
  of_id text, of_command int, of_attempt int, by_whom text, dead_after int,
  OUT outcome text, OUT head json, OUT workspace_id text, OUT effect json, OUT data text, OUT at bigint,
  OUT later_attempt int, OUT later_due bigint
) LANGUAGE plpgsql AS $$
DECLARE e record; p record; asking bigint; is_asked boolean;
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
    is_asked := coalesce(p.asked_at > at - dead_after AND p.asked_at <= at, false);
    IF p.asked_since IS NULL AND is_asked THEN outcome := 'performed'; RETURN; END IF;
    asking := CASE WHEN is_asked AND p.asked_since <= at THEN p.asked_since ELSE at END;
    IF asking > at - dead_after THEN
      UPDATE pending q SET asked_since = asking, asked_at = at WHERE q.execution = e.key AND q.command = of_command;
      outcome := 'asked'; RETURN;
    END IF;
  END IF;
  UPDATE pending q SET performer = by_whom, asked_since = NULL, asked_at = NULL, under_way = NULL,
    deaths = CASE WHEN p.performer <> by_whom THEN coalesce(p.deaths + (p.under_way IS TRUE)::int, 1) ELSE p.deaths END
  WHERE q.execution = e.key AND q.command = of_command RETURNING q.* INTO p;
  outcome := 'taken'; effect := row_to_json(p);
  SELECT json_build_object('key', e.key, 'id', e.id, 'project_id', j.id, 'program_id', m.id, 'version_id', v.id,
      'version_number', v.number), w.id, s.data
    INTO head, workspace_id, data
    FROM versions v, programs m, projects j, workspaces w, journal s
    WHERE v.key = e.version AND m.key = e.program AND j.key = e.project AND w.key = e.workspace
      AND s.execution = e.key AND s.position = p.position;
END $$;
`,
}
