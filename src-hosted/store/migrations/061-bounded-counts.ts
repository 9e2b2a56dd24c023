// A workspace could have any number of projects and tokens. What these take, and the environments and Triggers of projects, is in no quota, so
// one workspace could fill the disk of all.

import type { Migration } from './migration.ts'

/** Of locks that are held while a workspace's rows are counted. */
const COUNT_LOCK = 6

const boundedFunction = (name: string, table: string, parameters: string, values: string): string => `
CREATE FUNCTION ${name}(ws int, ${parameters}, most int, OUT at bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  PERFORM pg_advisory_xact_lock(${COUNT_LOCK}, ws);
  IF (SELECT count(*) FROM ${table} t WHERE t.workspace = ws) < most THEN at := ${name}(ws, ${values}); END IF;
END $$;
`

export const boundedCounts: Migration = {
  version: 61,
  sql: `
-- The functions of these names that have no \`most\`, unless the workspace has as many as it may: then null.
${boundedFunction('wes_create_project', 'projects', 'new_id text, new_name text', 'new_id, new_name')}
${boundedFunction(
  'wes_create_token',
  'tokens',
  'new_id text, new_name text, new_role text, new_digest bytea, until bigint',
  'new_id, new_name, new_role, new_digest, until',
)}`,
}
