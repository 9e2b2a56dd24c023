import type { Migration } from './migration.ts'

const VERSION_LOCK = 1
const DAY_MS = 86_400_000

const PROJECT = `
CREATE FUNCTION wes_create_project(ws int, new_id text, new_name text, OUT at bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  at := wes_now();
  INSERT INTO projects (workspace, id, name, is_default, created_at) VALUES (ws, new_id, new_name, false, at);
END $$;
`

const DEPLOY = `
-- Whether a version was stored: not if its content is that of the latest one.
CREATE FUNCTION wes_deploy(
  ws int, of_project text, of_program text, new_description text, new_id text, new_digest text, new_has_effects boolean,
  new_runnable boolean, new_manifest text, new_code text, new_source_map text, new_effects text, bytes bigint
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE project_key int; program_key int; version_key int; latest record; at bigint;
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  SELECT j.key INTO STRICT project_key FROM projects j WHERE j.id = of_project;
  INSERT INTO programs (workspace, project, id, description, created_at, updated_at)
  VALUES (ws, project_key, of_program, new_description, wes_now(), wes_now()) ON CONFLICT DO NOTHING;
  SELECT p.key INTO program_key FROM programs p WHERE p.project = project_key AND p.id = of_program FOR UPDATE;
  SELECT v.number, v.digest INTO latest FROM versions v WHERE v.program = program_key ORDER BY v.number DESC LIMIT 1;
  IF latest.digest = new_digest THEN RETURN false; END IF;
  at := wes_now();
  UPDATE programs p SET description = new_description, updated_at = at WHERE p.key = program_key;
  INSERT INTO versions (workspace, project, program, number, id, digest, has_effects, runnable, created_at, manifest)
  VALUES (ws, project_key, program_key, coalesce(latest.number, 0) + 1, new_id, new_digest, new_has_effects, new_runnable,
    at, new_manifest) RETURNING key INTO version_key;
  INSERT INTO artifacts (version, workspace, code, source_map, effects)
  VALUES (version_key, ws, new_code, new_source_map, new_effects);
  INSERT INTO changes (slot, at, program_version, workspace, project, program)
  VALUES ((at / 3600000) % 26, at, coalesce(latest.number, 0) + 1, ws, project_key, program_key);
  INSERT INTO usage_deltas (workspace, project, program, day, stored_bytes)
  VALUES (ws, project_key, program_key, at / ${DAY_MS}, bytes);
  RETURN true;
END $$;
`

const REMOVE_VERSION = `
CREATE FUNCTION wes_remove_version(ws int, of_project text, of_program text, of_number int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE v record; newest int; newest_runnable int; size bigint; at bigint;
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  SELECT x.key, x.id, x.project, x.program INTO v FROM versions x JOIN programs p ON p.key = x.program
    JOIN projects j ON j.key = x.project WHERE j.id = of_project AND p.id = of_program AND x.number = of_number;
  IF NOT FOUND THEN RETURN NULL; END IF;
  -- Whoever starts an Execution of it holds the same lock until it is stored.
  PERFORM pg_advisory_xact_lock(${VERSION_LOCK}, hashtext(v.id));
  PERFORM FROM programs p WHERE p.key = v.program FOR UPDATE;
  SELECT max(x.number), max(x.number) FILTER (WHERE x.runnable) INTO newest, newest_runnable
    FROM versions x WHERE x.program = v.program;
  IF EXISTS (SELECT FROM executions e WHERE e.version = v.key) THEN RETURN 'used'; END IF;
  IF of_number = newest THEN RETURN 'newest'; END IF;
  IF of_number = newest_runnable THEN RETURN 'newest_runnable'; END IF;
  SELECT octet_length(a.code) + coalesce(octet_length(a.source_map), 0) + coalesce(octet_length(a.effects), 0) INTO size
    FROM artifacts a WHERE a.version = v.key;
  DELETE FROM artifacts a WHERE a.version = v.key;
  DELETE FROM versions x WHERE x.key = v.key;
  DELETE FROM status_counts s WHERE s.project = v.project AND s.version = v.key AND s.count = 0;
  at := wes_now();
  INSERT INTO changes (slot, at, program_version, workspace, project, program)
  VALUES ((at / 3600000) % 26, at, newest, ws, v.project, v.program);
  INSERT INTO usage_deltas (workspace, project, program, day, stored_bytes)
  VALUES (ws, v.project, v.program, at / ${DAY_MS}, -size);
  RETURN 'removed';
END $$;
`

export const deploy: Migration = { version: 9, sql: PROJECT + DEPLOY + REMOVE_VERSION }
