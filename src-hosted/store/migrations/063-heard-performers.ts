// A process that died was missed twice, one after the other: at its address, and then for 6 s by those who asked for each of its attempts.
// Now each process notes that it is there, so how long it has been silent is known when its attempts are asked for elsewhere. And leases
// of bulks became shorter than those of the release before, which must not count as made before the clock was set back.

import { claimAttemptFunction } from './035-first-death.ts'
import { takeBulkFunction } from './050-bulks-in-turn.ts'
import type { Migration } from './migration.ts'

/** More than 10 s, which a process may stand still and keep its work, and the second between its notes. */
const SILENT_FOR_MS = 12_000
/** Of the notes of a process that is there; they come every second. */
const LONGEST_GAP_MS = 3_000
const KEPT_MS = 86_400_000
/** Of releases before this one. */
const LONGEST_LEASE_MS = 30_000

/** Whether nobody works on the bulk `x` at this `moment`. */
export const IS_BULK_FREE = `(x.free_at <= moment OR x.free_at > moment + greatest(lease, ${LONGEST_LEASE_MS}))`

export const heardPerformers: Migration = {
  version: 63,
  sql: `
-- Processes that perform attempts. \`heard_since\`: from when on they were heard without a gap. Those of the release before have no row.
CREATE TABLE performers (
  heard_since bigint NOT NULL,
  heard_at bigint NOT NULL,
  name text COLLATE "C" PRIMARY KEY
) WITH (fillfactor = 20);
GRANT SELECT, INSERT, UPDATE, DELETE ON performers TO wes_worker;

CREATE FUNCTION wes_hear(of_name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE moment bigint := wes_now();
BEGIN
  UPDATE performers p SET heard_at = moment,
    heard_since = CASE WHEN p.heard_at BETWEEN moment - ${LONGEST_GAP_MS} AND moment THEN p.heard_since ELSE moment END
  WHERE p.name = of_name;
  IF FOUND THEN RETURN; END IF;
  INSERT INTO performers (name, heard_since, heard_at) VALUES (of_name, moment, moment) ON CONFLICT (name) DO NOTHING;
  DELETE FROM performers p WHERE p.heard_at < moment - ${KEPT_MS};
END $$;

-- Whether one was silent for so long, while another was heard all the time: otherwise nobody could be heard, or the clock was set.
CREATE FUNCTION wes_is_silent(one text, other text, moment bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM performers p, performers o WHERE p.name = one AND o.name = other
    AND p.heard_at <= moment - ${SILENT_FOR_MS}
    AND o.heard_since <= moment - ${SILENT_FOR_MS} AND o.heard_at BETWEEN moment - ${LONGEST_GAP_MS} AND moment)
$$;

-- See 060-bounded-leases.ts. The attempt of a performer that was silent for long is not asked for first.
${claimAttemptFunction(
  'asking bigint; is_asked boolean;',
  `    is_asked := coalesce(p.asked_at > at - dead_after AND p.asked_at <= at, false);
    IF wes_is_silent(p.performer, by_whom, at) THEN
      asking := at - dead_after;
    ELSIF p.asked_since IS NULL AND is_asked THEN
      outcome := 'performed'; RETURN;
    ELSE
      asking := CASE WHEN is_asked AND p.asked_since <= at THEN p.asked_since ELSE at END;
    END IF;`,
)}
-- See 060-bounded-leases.ts. Processes of the release before make longer leases.
${takeBulkFunction(IS_BULK_FREE)}`,
}
