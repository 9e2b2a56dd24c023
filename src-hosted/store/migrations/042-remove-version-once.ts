// Of several calls that delete a version at the same time, one deletes it; to the others it does not exist.

import type { Migration } from './migration.ts'

const VERSION_LOCK = 1
const DAY_MS = 86_400_000

export const IF_USED = `
  IF EXISTS (SELECT FROM executions e WHERE e.version = v.key) THEN RETURN 'used'; END IF;`
export const IF_NEWEST = `
  IF of_number = newest THEN RETURN 'newest'; END IF;
  IF of_number = newest_runnable THEN RETURN 'newest_runnable'; END IF;`

/** `refusals`: in the order in which they are told. */
export const removeVersionFunction = (refusals: string): string => `
CREATE OR REPLACE FUNCTION wes_remove_version(ws int, of_project text, of_program text, of_number int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE v record; newest int; newest_runnable int; size bigint; at bigint;
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  SELECT x.key, x.id, x.project, x.program INTO v FROM versions x JOIN programs p ON p.key = x.program
    JOIN projects j ON j.key = x.project WHERE j.id = of_project AND p.id = of_program AND x.number = of_number;
  IF NOT FOUND THEN RETURN NULL; END IF;
  -- Whoever starts an Execution of it holds the same lock until it is stored.
  PERFORM pg_advisory_xact_lock(${VERSION_LOCK}, hashtext(v.id));
  PERFORM FROM programs p WHERE p.key = v.program FOR UPDATE;
  SELECT max(x.number), max(x.number) FILTER (WHERE x.runnable) INTO newest, newest_runnable
    FROM versions x WHERE x.program = v.program;${refusals}
  SELECT octet_length(a.code) + coalesce(octet_length(a.source_map), 0) + coalesce(octet_length(a.effects), 0) INTO size
    FROM artifacts a WHERE a.version = v.key;
  -- Another call has removed it while this one waited for the lock.
  IF NOT FOUND THEN RETURN NULL; END IF;
  DELETE FROM artifacts a WHERE a.version = v.key;
  DELETE FROM versions x WHERE x.key = v.key;
  DELETE FROM status_counts s WHERE s.project = v.project AND s.version = v.key AND s.count = 0;
  at := wes_now();
  INSERT INTO changes (slot, at, program_version, workspace, project, program)
  VALUES ((at / 3600000) % 26, at, newest, ws, v.project, v.program);
  INSERT INTO usage_deltas (workspace, project, program, day, stored_bytes)
  VALUES (ws, v.project, v.program, at / ${DAY_MS}, -size);
  RETURN 'removed';
END $$;
`

export const removeVersionOnce: Migration = { version: 42, sql: removeVersionFunction(IF_USED + IF_NEWEST) }
