import type { Migration } from './migration.ts'
import { protect } from './protect.ts'

const TABLES = `
-- Counts how often the Triggers of a project were replaced.
CREATE TABLE trigger_lists (
  project int PRIMARY KEY REFERENCES projects (key),
  workspace int NOT NULL,
  revision bigint NOT NULL
);

CREATE TABLE triggers (
  id text COLLATE "C" PRIMARY KEY,
  workspace int NOT NULL,
  project int NOT NULL REFERENCES projects (key),
  program int NOT NULL REFERENCES programs (key),
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  last_fired_at bigint,
  -- Of a schedule that is enabled.
  next_fire_at bigint,
  position int NOT NULL,
  enabled boolean NOT NULL,
  type text NOT NULL CHECK (type IN ('webhook', 'schedule')),
  name text,
  -- Of a webhook. The secret is sealed.
  public_id text COLLATE "C" UNIQUE,
  secret text,
  -- Of a schedule.
  cron text,
  timezone text,
  input text,
  last_execution text,
  last_error text
);
CREATE INDEX triggers_of_project ON triggers (project, position);
CREATE INDEX triggers_due ON triggers (next_fire_at) WHERE next_fire_at IS NOT NULL;
${protect('trigger_lists', 'triggers')}
`

const REPLACE = `
-- Whether the list still had the revision that was seen, and so was replaced. A Trigger that was there keeps what firing
-- wrote to it, and its next time unless that is another one than was seen.
CREATE FUNCTION wes_replace_triggers(ws int, of_project text, seen_revision bigint, items json) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE project_key int; current bigint;
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  SELECT j.key INTO project_key FROM projects j WHERE j.workspace = ws AND j.id = of_project;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO trigger_lists (project, workspace, revision) VALUES (project_key, ws, 0) ON CONFLICT DO NOTHING;
  SELECT l.revision INTO current FROM trigger_lists l WHERE l.project = project_key FOR UPDATE;
  IF current <> seen_revision THEN RETURN false; END IF;
  UPDATE trigger_lists l SET revision = current + 1 WHERE l.project = project_key;
  DELETE FROM triggers t WHERE t.project = project_key AND t.id NOT IN (SELECT i->>'id' FROM json_array_elements(items) i);
  INSERT INTO triggers AS t (id, workspace, project, program, created_at, updated_at, next_fire_at, position, enabled, type,
    name, public_id, secret, cron, timezone, input)
  SELECT i.id, ws, project_key, p.key, i.created_at, i.updated_at, i.next_fire_at, i.n, i.enabled, i.type,
    i.name, i.public_id, i.secret, i.cron, i.timezone, i.input
  FROM ROWS FROM (json_to_recordset(items) AS (id text, program text, created_at bigint, updated_at bigint,
      next_fire_at bigint, enabled boolean, type text, name text, public_id text, secret text, cron text, timezone text,
      input text, seen_next bigint))
    WITH ORDINALITY AS i (id, program, created_at, updated_at, next_fire_at, enabled, type, name, public_id, secret, cron,
      timezone, input, seen_next, n)
    JOIN programs p ON p.project = project_key AND p.id = i.program
  ON CONFLICT (id) DO UPDATE SET program = excluded.program, updated_at = excluded.updated_at,
    next_fire_at = CASE WHEN excluded.next_fire_at = (
        SELECT (x->>'seen_next')::bigint FROM json_array_elements(items) x WHERE x->>'id' = t.id)
      THEN t.next_fire_at ELSE excluded.next_fire_at END,
    position = excluded.position, enabled = excluded.enabled, name = excluded.name, secret = excluded.secret,
    cron = excluded.cron, timezone = excluded.timezone, input = excluded.input;
  RETURN true;
END $$;
`

const FIRE = `
CREATE FUNCTION wes_note_fired(ws int, of_id text, execution_id text, failure text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  UPDATE triggers t SET last_fired_at = wes_now(), last_execution = coalesce(execution_id, t.last_execution),
    last_error = failure
  WHERE t.workspace = ws AND t.id = of_id;
END $$;

-- What came of a time of a schedule, and its next one, unless somebody was faster. A time that was too late has neither an
-- Execution nor a failure.
CREATE FUNCTION wes_advance_schedule(of_id text, at bigint, next_at bigint, execution_id text, failure text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE has_fired boolean := execution_id IS NOT NULL OR failure IS NOT NULL;
BEGIN
  UPDATE triggers t SET next_fire_at = next_at,
    last_fired_at = CASE WHEN has_fired THEN wes_now() ELSE t.last_fired_at END,
    last_execution = coalesce(execution_id, t.last_execution),
    last_error = CASE WHEN has_fired THEN failure ELSE t.last_error END
  WHERE t.id = of_id AND t.next_fire_at = at;
END $$;
`

export const triggers: Migration = { version: 13, sql: TABLES + REPLACE + FIRE }
