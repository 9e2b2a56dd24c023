import type { Migration } from './migration.ts'

// Roles belong to the whole server: another database of it may have made them already. They cannot log in; whoever the
// processes log in as becomes one of them.
const role = (name: string) => `
DO $$ BEGIN
  CREATE ROLE ${name} NOLOGIN NOSUPERUSER NOBYPASSRLS;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
GRANT USAGE ON SCHEMA wes TO ${name};
`

export const roles: Migration = {
  version: 1,
  sql: `
${role('wes_app')}
${role('wes_worker')}

-- What the whole database is. \`epoch\` names its stream of changes: one that was restored needs another.
CREATE TABLE service (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  epoch text NOT NULL DEFAULT encode(uuid_send(gen_random_uuid()), 'hex')
);
INSERT INTO service DEFAULT VALUES;
GRANT SELECT ON service TO wes_app, wes_worker;

-- The workspace of the statement's caller. Every statement of wes_app sets it for itself, in the same call.
CREATE FUNCTION wes_workspace() RETURNS int LANGUAGE sql STABLE PARALLEL RESTRICTED
  RETURN nullif(current_setting('wes.workspace', true), '')::int;

-- ms since the epoch. Not the transaction's time: who waited for a lock is told the time after it.
CREATE FUNCTION wes_now() RETURNS bigint LANGUAGE sql VOLATILE
  RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
`,
}
