// Starts of the newest version, which a process may have looked up before another one deployed a newer version. So a start
// need not read the version first.

import { startManyFunction } from './018-start-many.ts'
import { PERFORMER } from './019-start-claims.ts'
import type { Migration } from './migration.ts'

/** Whether there is a newer version than `v` that may run. */
const IS_OLD = 'EXISTS (SELECT FROM versions n WHERE n.program = v.program AND n.number > v.number AND n.runnable)'

export const startNewest: Migration = {
  version: 22,
  sql: `
-- What wes_start does, unless there is a newer version that may run.
CREATE FUNCTION wes_start_newest(
  ws int, new_id text, of_version text, again text, of_trigger text, of_trigger_type text, data text, sent_key text, sent_hash text,
  created bigint, new_status smallint, new_turns int, new_command int, begun bigint, finished bigint, new_label text,
  new_error text, print text, searched text, grams int[], entries json, entry_count int, opened json,
  wake bigint, attempts int, compute int, bytes bigint,
  OUT outcome text, OUT k bigint, OUT at bigint, OUT repeated_hash text
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  IF EXISTS (SELECT FROM versions v WHERE v.id = of_version AND ${IS_OLD}) THEN outcome := 'version_gone'; RETURN; END IF;
  SELECT s.outcome, s.k, s.at, s.repeated_hash INTO outcome, k, at, repeated_hash
  FROM wes_start(ws, new_id, of_version, again, of_trigger, of_trigger_type, data, sent_key, sent_hash, created, new_status,
    new_turns, new_command, begun, finished, new_label, new_error, print, searched, grams, entries, entry_count, opened,
    wake, attempts, compute, bytes) AS s;
END $$;
${startManyFunction('CREATE OR REPLACE FUNCTION', {
  performer: PERFORMER,
  newest: { type: ', newest boolean', name: ', newest', condition: ` AND (s.newest IS NOT TRUE OR NOT ${IS_OLD})` },
})}
`,
}
