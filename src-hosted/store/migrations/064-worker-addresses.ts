// Restate sends new work to the address of workers that was registered last, and forgets those that are removed. So a worker of an old release
// that started again at an address that had been removed became the newest one, and one that had stood still until its address was removed
// did not know whether it had been replaced.

import type { Migration } from './migration.ts'

/** A worker of an old release may stand still for days, with its machine. */
const KEPT_MS = 30 * 86_400_000

export const workerAddresses: Migration = {
  version: 64,
  sql: `
-- Addresses of workers, in the order in which a release first came to each. \`release\`: empty for those that other workers found at Restate.
CREATE TABLE worker_addresses (
  number bigint GENERATED ALWAYS AS IDENTITY,
  heard_at bigint NOT NULL,
  url text COLLATE "C",
  release text COLLATE "C",
  PRIMARY KEY (url, release)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON worker_addresses TO wes_worker;

-- Notes that a worker of this release is at \`own\`, and that the \`others\` are registered. Answers which of them came after it.
CREATE FUNCTION wes_note_address(own text, own_release text, others text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE moment bigint := wes_now();
BEGIN
  PERFORM pg_advisory_xact_lock(7, 0);
  UPDATE worker_addresses a SET heard_at = moment WHERE a.url = ANY (others) OR (a.url = own AND a.release = own_release);
  INSERT INTO worker_addresses (heard_at, url, release)
  SELECT moment, o.url, '' FROM unnest(others) WITH ORDINALITY AS o (url, n)
  WHERE NOT EXISTS (SELECT FROM worker_addresses a WHERE a.url = o.url) ORDER BY o.n;
  INSERT INTO worker_addresses (heard_at, url, release)
  SELECT moment, own, own_release
  WHERE NOT EXISTS (SELECT FROM worker_addresses a WHERE a.url = own AND a.release = own_release);
  DELETE FROM worker_addresses a WHERE a.heard_at < moment - ${KEPT_MS};
  RETURN QUERY SELECT a.url FROM worker_addresses a WHERE a.url = ANY (others) AND a.number > (
    SELECT w.number FROM worker_addresses w WHERE w.url = own AND w.release = own_release) GROUP BY a.url;
END $$;
`,
}
