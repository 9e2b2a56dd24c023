import type { Migration } from './migration.ts'

export const markSecret: Migration = {
  version: 31,
  sql: `
-- Encrypts the places in the stream of changes that callers are shown as ids.
ALTER TABLE service ADD COLUMN mark_secret text NOT NULL DEFAULT encode(uuid_send(gen_random_uuid()), 'hex');
`,
}
