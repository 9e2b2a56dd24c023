// The replacement of a project's Triggers, which wrote the secrets that it had read: after a rotation of the keys meanwhile,
// these were sealed with the old key again, and nobody could open them once it was gone.

import type { Migration } from './migration.ts'

export const REMOVE_OTHERS =
  "  DELETE FROM triggers t WHERE t.project = project_key AND t.id NOT IN (SELECT i->>'id' FROM json_array_elements(items) i);"

/** `comment`: in front of the function. `lockAndRemove`: locks the Triggers of the project, and removes those that are not among `items`. */
export const replaceTriggersFunction = (comment: string, lockAndRemove: string): string => `
${comment}
CREATE OR REPLACE FUNCTION wes_replace_triggers(ws int, of_project text, seen_revision bigint, items json) RETURNS boolean
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
${lockAndRemove}
  INSERT INTO triggers AS t (id, workspace, project, program, created_at, updated_at, next_fire_at, position, enabled, type,
    name, public_id, secret, cron, timezone, input)
  SELECT i.id, ws, project_key, p.key, i.created_at, i.updated_at,
    CASE WHEN o.id IS NOT NULL AND i.next_fire_at = i.seen_next THEN o.next_fire_at ELSE i.next_fire_at END,
    i.n, i.enabled, i.type, i.name, i.public_id,
    CASE WHEN o.id IS NOT NULL AND i.keeps_secret THEN o.secret ELSE i.secret END, i.cron, i.timezone, i.input
  FROM ROWS FROM (json_to_recordset(items) AS (id text, program text, created_at bigint, updated_at bigint,
      next_fire_at bigint, enabled boolean, type text, name text, public_id text, secret text, cron text, timezone text,
      input text, seen_next bigint, keeps_secret boolean))
    WITH ORDINALITY AS i (id, program, created_at, updated_at, next_fire_at, enabled, type, name, public_id, secret, cron,
      timezone, input, seen_next, keeps_secret, n)
    JOIN programs p ON p.project = project_key AND p.id = i.program
    LEFT JOIN triggers o ON o.id = i.id
  ON CONFLICT (id) DO UPDATE SET program = excluded.program, updated_at = excluded.updated_at,
    next_fire_at = excluded.next_fire_at, position = excluded.position, enabled = excluded.enabled, name = excluded.name,
    secret = excluded.secret, cron = excluded.cron, timezone = excluded.timezone, input = excluded.input;
  RETURN true;
END $$;
`

export const keepSecrets: Migration = {
  version: 33,
  sql: replaceTriggersFunction(
    `-- Whether the list still had the revision that was seen, and so was replaced. A Trigger that was there keeps what firing
-- wrote to it, and its next time unless that is another one than was seen. Its row is locked first, so that nobody advances
-- a schedule whose next time was read here, and a secret that is kept is the one that a rotation has just sealed anew.`,
    `${REMOVE_OTHERS}
  PERFORM FROM triggers t WHERE t.project = project_key FOR UPDATE;`,
  ),
}
