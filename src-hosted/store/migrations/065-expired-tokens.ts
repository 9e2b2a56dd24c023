// Expired tokens counted until somebody revoked them, so a workspace that makes short-lived ones, as for each job of a CI, could make no more.

import type { Migration } from './migration.ts'

export const expiredTokens: Migration = {
  version: 65,
  sql: `
-- As before; but where the workspace has as many as it may have, the one that expired first makes room.
CREATE OR REPLACE FUNCTION wes_create_token(
  ws int, new_id text, new_name text, new_role text, new_digest bytea, until bigint, most int, OUT at bigint
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  PERFORM pg_advisory_xact_lock(6, ws);
  IF (SELECT count(*) FROM tokens t WHERE t.workspace = ws) >= most THEN
    DELETE FROM tokens t WHERE t.id = (
      SELECT x.id FROM tokens x WHERE x.workspace = ws AND x.expires_at <= wes_now() ORDER BY x.expires_at LIMIT 1);
    IF NOT FOUND THEN RETURN; END IF;
  END IF;
  at := wes_create_token(ws, new_id, new_name, new_role, new_digest, until);
END $$;
`,
}
