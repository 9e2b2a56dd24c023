// What a visit reads, of whose outcomes the caller bounds the data: Executions that are read together share a bound.

import type { Migration } from './migration.ts'

/** Of buffered events' data, read with everything else: the first ones, if they are small. */
const EARLY_PAYLOADS = 16
const SMALL_PAYLOAD_BYTES = 16_384
/** Of outcomes' data: as much as a plan delivers. */
const OUTCOME_BYTES = 4 * 1024 * 1024

export const loadShare: Migration = {
  version: 32,
  sql: `
-- The first outcomes have their data, at least one and at most that many bytes of several; the others have NULL.
CREATE FUNCTION wes_load_part(of_id text, outcome_bytes bigint) RETURNS TABLE (
  head json, workspace_id text, start_data text, open json, buffered json, outcomes json, at bigint
) LANGUAGE sql STABLE AS $$
  SELECT row_to_json(e), w.id,
    CASE WHEN e.turns = 0 THEN (SELECT j.data FROM journal j WHERE j.execution = e.key AND j.position = 1) END,
    CASE WHEN e.last_command > 0 THEN (SELECT json_agg(p ORDER BY p.command) FROM (
      SELECT command, kind, name, since, due_at, attempt, position, early, deaths, options
      FROM pending WHERE execution = e.key) AS p) END,
    CASE WHEN e.buffered > 0 THEN (SELECT json_agg(i ORDER BY i.position) FROM (
      SELECT i.position, i.id, i.name, i.received_at, i.bytes,
        CASE WHEN i.bytes <= ${SMALL_PAYLOAD_BYTES} AND row_number() OVER (ORDER BY i.position) <= ${EARLY_PAYLOADS}
          THEN (SELECT j.data FROM journal j WHERE j.execution = e.key AND j.position = i.position) END AS data
      FROM inbox i WHERE i.execution = e.key) AS i) END,
    CASE WHEN e.last_command > 0 THEN (SELECT json_agg(o ORDER BY o.at, o.command) FROM (
      SELECT f.command, f.attempt, f.ok, f.at, CASE WHEN f.n = 1 OR f.total <= outcome_bytes THEN f.data END AS data
      FROM (
        SELECT o.*, row_number() OVER first_ones AS n, sum(octet_length(o.data)) OVER first_ones AS total
        FROM outcomes o JOIN pending p ON p.execution = o.execution AND p.command = o.command AND p.kind = 2
        WHERE o.execution = e.key WINDOW first_ones AS (ORDER BY o.at, o.command)) AS f) AS o) END,
    wes_now()
  FROM (
    SELECT x.*, j.id AS project_id, p.id AS program_id, v.id AS version_id, v.number AS version_number
    FROM executions x JOIN versions v ON v.key = x.version JOIN programs p ON p.key = x.program
      JOIN projects j ON j.key = x.project
    WHERE x.id = of_id
  ) AS e JOIN workspaces w ON w.key = e.workspace
$$;

CREATE OR REPLACE FUNCTION wes_load_part(of_id text) RETURNS TABLE (
  head json, workspace_id text, start_data text, open json, buffered json, outcomes json, at bigint
) LANGUAGE sql STABLE AS $$ SELECT * FROM wes_load_part(of_id, ${OUTCOME_BYTES}) $$;
`,
}
