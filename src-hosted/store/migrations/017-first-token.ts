import type { Migration } from './migration.ts'

export const firstToken: Migration = {
  version: 17,
  sql: `
-- Of the first token of all, until it is used or its workspace has another one: what the caller sends, sealed.
ALTER TABLE tokens ADD COLUMN sealed text;
CREATE INDEX tokens_sealed ON tokens (id) WHERE sealed IS NOT NULL;

-- With its default project and its first token, unless there is any workspace. Of several callers, one makes it.
CREATE FUNCTION wes_make_first_workspace(
  new_id text, new_name text, project_id text, token_id text, token_name text, new_digest bytea, new_sealed text
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE made int;
BEGIN
  PERFORM pg_advisory_xact_lock(2, hashtext(new_name));
  IF EXISTS (SELECT FROM workspaces) THEN RETURN false; END IF;
  INSERT INTO workspaces (id, name, created_at) VALUES (new_id, new_name, wes_now()) RETURNING key INTO made;
  INSERT INTO projects (workspace, id, name, is_default, created_at)
  VALUES (made, project_id, 'Default', true, wes_now());
  INSERT INTO tokens (id, workspace, created_at, role, name, digest, sealed)
  VALUES (token_id, made, wes_now(), 'admin', token_name, new_digest, new_sealed);
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION wes_create_token(
  ws int, new_id text, new_name text, new_role text, new_digest bytea, until bigint, OUT at bigint
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  at := wes_now();
  INSERT INTO tokens (id, workspace, created_at, expires_at, role, name, digest)
  VALUES (new_id, ws, at, until, new_role, new_name, new_digest);
  UPDATE tokens t SET sealed = NULL WHERE t.workspace = ws AND t.sealed IS NOT NULL;
END $$;
`,
}
