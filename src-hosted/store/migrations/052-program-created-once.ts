// A new Program was created when its first version was stored, not a moment before.

import type { Migration } from './migration.ts'

const DAY_MS = 86_400_000

const DEPLOY = `
-- Whether a version was stored: not if its content is that of the latest one.
CREATE OR REPLACE FUNCTION wes_deploy(
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
  UPDATE programs p SET description = new_description, updated_at = at,
    created_at = CASE WHEN latest.number IS NULL THEN at ELSE p.created_at END WHERE p.key = program_key;
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

export const programCreatedOnce: Migration = { version: 52, sql: DEPLOY }
