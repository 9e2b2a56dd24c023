import type { Migration } from './migration.ts'
import { protect } from './protect.ts'

export const environment: Migration = {
  version: 14,
  sql: `
-- What effects are given, sealed: a key id, a colon, and the value under that key.
CREATE TABLE environment (
  project int NOT NULL REFERENCES projects (key),
  workspace int NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  sealed text NOT NULL,
  PRIMARY KEY (project, name)
);
${protect('environment')}

-- Whether it was changed: not if there would be more than \`most\`.
CREATE FUNCTION wes_change_environment(
  ws int, of_project text, names text[], sealed_values text[], removed text[], most int
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE project_key int; kept int; at bigint := wes_now();
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  SELECT j.key INTO STRICT project_key FROM projects j WHERE j.workspace = ws AND j.id = of_project;
  PERFORM pg_advisory_xact_lock(3, project_key);
  SELECT count(*) INTO kept FROM environment e
    WHERE e.project = project_key AND e.name <> ALL (removed) AND e.name <> ALL (names);
  IF kept + cardinality(names) > most AND cardinality(names) > 0 THEN RETURN false; END IF;
  DELETE FROM environment e WHERE e.project = project_key AND e.name = ANY (removed);
  INSERT INTO environment AS e (project, workspace, created_at, updated_at, name, sealed)
  SELECT project_key, ws, at, at, n.name, n.sealed FROM unnest(names, sealed_values) AS n (name, sealed)
  ON CONFLICT (project, name) DO UPDATE SET sealed = excluded.sealed, updated_at = at;
  RETURN true;
END $$;
`,
}
