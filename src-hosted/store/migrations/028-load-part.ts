// What a visit reads, with the data of the first outcomes only: effects of one Execution may have returned gigabytes.

import type { Migration } from './migration.ts'

/** Of buffered events' data, read with everything else: the first ones, if they are small. */
const EARLY_PAYLOADS = 16
const SMALL_PAYLOAD_BYTES = 16_384
/** Of outcomes' data: as much as a plan delivers. */
const OUTCOME_BYTES = 4 * 1024 * 1024

const LOAD = `
-- As wes_load, which the release before calls. The first outcomes have their data, at least one; the others have NULL.
CREATE FUNCTION wes_load_part(of_id text) RETURNS TABLE (
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
      SELECT f.command, f.attempt, f.ok, f.at, CASE WHEN f.n = 1 OR f.total <= ${OUTCOME_BYTES} THEN f.data END AS data
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
`

const RECEIVE = `
-- As wes_receive, and where the Execution was asleep, as wes_load_part after it.
CREATE FUNCTION wes_receive_and_load_part(
  ws int, k bigint, event_id text, event_name text, event_data text, event_bytes int, sent_key text, sent_hash text,
  most_events int, most_bytes bigint,
  OUT outcome text, OUT at bigint, OUT status smallint, OUT id text, OUT wake boolean, OUT kept_position int, OUT kept_hash text,
  OUT head json, OUT workspace_id text, OUT start_data text, OUT open json, OUT buffered json, OUT outcomes json
) LANGUAGE plpgsql AS $$
BEGIN
  SELECT r.outcome, r.at, r.status, r.id, r.wake, r.kept_position, r.kept_hash
    INTO outcome, at, status, id, wake, kept_position, kept_hash
    FROM wes_receive(ws, k, event_id, event_name, event_data, event_bytes, sent_key, sent_hash, most_events, most_bytes) AS r;
  IF wake THEN
    SELECT l.head, l.workspace_id, l.start_data, l.open, l.buffered, l.outcomes
      INTO head, workspace_id, start_data, open, buffered, outcomes
      FROM wes_load_part(id) AS l;
  END IF;
END $$;
`

export const loadPart: Migration = { version: 28, sql: LOAD + RECEIVE }
