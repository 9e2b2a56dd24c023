import type { Migration } from './migration.ts'
import { protect } from './protect.ts'

const TABLES = `
ALTER TABLE workspaces ADD COLUMN plan text NOT NULL DEFAULT 'standard';
CREATE INDEX workspaces_by_name ON workspaces (name);

-- digest: SHA-256 of what the caller sends. Nothing else of it is stored.
CREATE TABLE tokens (
  id text COLLATE "C" PRIMARY KEY,
  workspace int NOT NULL REFERENCES workspaces (key),
  created_at bigint NOT NULL,
  expires_at bigint,
  last_used_at bigint,
  role text NOT NULL CHECK (role IN ('read', 'write', 'admin')),
  name text NOT NULL,
  digest bytea NOT NULL UNIQUE
);
CREATE INDEX tokens_of_workspace ON tokens (workspace, id);

CREATE TABLE sessions (
  digest bytea PRIMARY KEY,
  workspace int NOT NULL,
  expires_at bigint NOT NULL,
  token text COLLATE "C" NOT NULL REFERENCES tokens (id) ON DELETE CASCADE
);
CREATE INDEX sessions_of_token ON sessions (token);
CREATE INDEX sessions_by_end ON sessions (expires_at);
${protect('tokens', 'sessions')}
`

const WRITES = `
-- With its default project, unless there is one of that name. Two callers make one.
CREATE FUNCTION wes_ensure_workspace(new_id text, new_name text, project_id text, OUT found_id text, OUT is_new boolean)
LANGUAGE plpgsql AS $$
DECLARE made int;
BEGIN
  PERFORM pg_advisory_xact_lock(2, hashtext(new_name));
  SELECT w.id INTO found_id FROM workspaces w WHERE w.name = new_name ORDER BY w.key LIMIT 1;
  is_new := NOT FOUND;
  IF is_new THEN
    INSERT INTO workspaces (id, name, created_at) VALUES (new_id, new_name, wes_now()) RETURNING key INTO made;
    INSERT INTO projects (workspace, id, name, is_default, created_at)
    VALUES (made, project_id, 'Default', true, wes_now());
    found_id := new_id;
  END IF;
END $$;

CREATE FUNCTION wes_rename_workspace(ws int, new_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  UPDATE workspaces SET name = new_name WHERE key = ws;
END $$;

CREATE FUNCTION wes_create_token(
  ws int, new_id text, new_name text, new_role text, new_digest bytea, until bigint, OUT at bigint
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  at := wes_now();
  INSERT INTO tokens (id, workspace, created_at, expires_at, role, name, digest)
  VALUES (new_id, ws, at, until, new_role, new_name, new_digest);
END $$;

CREATE FUNCTION wes_revoke_token(ws int, of_id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  DELETE FROM tokens t WHERE t.workspace = ws AND t.id = of_id;
  RETURN FOUND;
END $$;
`

export const access: Migration = { version: 12, sql: TABLES + WRITES }
