// Starts that come at the same moment, in one transaction: what a transaction costs, and a flush of the disk, is paid once.

import type { Migration } from './migration.ts'

/** As in 006-accept.ts. */
const VERSION_LOCK = 1
const DAY_MS = 86_400_000

/** What later migrations add: the performer of effects that begin at once (019), whether a newer version is refused (022). */
type Added = {
  readonly performer: { readonly column: string; readonly value: string; readonly type: string }
  readonly newest: { readonly type: string; readonly name: string; readonly condition: string }
}

const NO_PERFORMER: Added['performer'] = { column: '', value: '', type: '' }
const NO_NEWEST: Added['newest'] = { type: '', name: '', condition: '' }

export const startManyFunction = (
  create: string,
  { performer = NO_PERFORMER, newest = NO_NEWEST }: Partial<Added>,
): string => `
-- What wes_start does, for each of \`starts\`, which have no failure. \`sent\`: its key was sent before, so nothing of it is
-- stored, and wes_start says what follows. Keys are taken in one order, so that two of these do not wait for one another.
${create} wes_start_many(ws int, of_versions text[], starts json)
RETURNS TABLE (outcome text, k bigint, at bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  PERFORM pg_advisory_xact_lock_shared(${VERSION_LOCK}, l.lock)
    FROM (SELECT DISTINCT hashtext(u.id) AS lock FROM unnest(of_versions) AS u (id) ORDER BY 1) AS l;
  RETURN QUERY
  WITH timed AS MATERIALIZED (
    SELECT s.*, v.key AS version_key, v.project, v.program, coalesce(s.created, wes_now()) AS at
    FROM ROWS FROM (json_to_recordset(starts) AS (
        id text, version text, again text, trigger text, trigger_type text, data text, sent_key text, sent_hash text,
        created bigint, status smallint, turns int, command int, begun bigint, finished bigint, label text,
        entry_count int, wake bigint, attempts int, compute int, bytes bigint, entries json, opened json${newest.type}))
      WITH ORDINALITY AS s (
        id, version, again, trigger, trigger_type, data, sent_key, sent_hash,
        created, status, turns, command, begun, finished, label,
        entry_count, wake, attempts, compute, bytes, entries, opened${newest.name}, n)
      LEFT JOIN versions v ON v.id = s.version${newest.condition}
  ), given AS MATERIALIZED (
    SELECT t.*, wes_first_key(t.at) + nextval('execution_keys') AS key FROM timed t
  ), kept AS (
    INSERT INTO idempotency (project, workspace, execution, created_at, key, body_hash)
    SELECT g.project, ws, g.key, wes_now(), g.sent_key, g.sent_hash FROM given g
    WHERE g.version_key IS NOT NULL AND g.sent_key IS NOT NULL ORDER BY g.project, g.sent_key
    ON CONFLICT DO NOTHING RETURNING execution
  ), new AS MATERIALIZED (
    SELECT * FROM given g WHERE g.version_key IS NOT NULL
      AND (g.sent_key IS NULL OR EXISTS (SELECT FROM kept f WHERE f.execution = g.key))
  ), stored AS (
    INSERT INTO executions (key, created_at, started_at, finished_at, wake_at, workspace, project, program, version,
      last_position, turns, last_command, buffered, buffered_bytes, stirred, status, id, again_of, trigger_id,
      trigger_type, label)
    SELECT key, at, begun, finished, CASE WHEN created IS NULL THEN at ELSE wake END, ws, project, program, version_key,
      1 + entry_count, coalesce(turns, 0), coalesce(command, 0), 0, 0, 0, coalesce(status, 0::smallint), id, again, trigger,
      trigger_type, label
    FROM new
  ), journalled AS (
    INSERT INTO journal (execution, position, workspace, at, type, command, name, attempt, source, data)
    SELECT key, 1, ws, at, 0, NULL, NULL, NULL, NULL, data FROM new
    UNION ALL
    SELECT w.key, 1 + e.n, ws, e.at, e.type, e.command, e.name, e.attempt, e.source, e.data
    FROM new w CROSS JOIN LATERAL ROWS FROM (json_to_recordset(w.entries) AS (
      at bigint, type smallint, command int, name text, attempt int, source int, data text)) WITH ORDINALITY
      AS e (at, type, command, name, attempt, source, data, n)
  ), opened AS (
    INSERT INTO pending (execution, command, workspace, project, program, kind, name, since, due_at, attempt, position, options${performer.column})
    SELECT w.key, o.command, ws, w.project, w.program, o.kind, o.name, o.since, o.due_at, o.attempt, 1 + o.entry, o.options${performer.value}
    FROM new w CROSS JOIN LATERAL json_to_recordset(w.opened) AS o (
      command int, kind smallint, name text, since bigint, due_at bigint, attempt int, entry int, options text${performer.type})
  ), told AS (
    INSERT INTO changes (slot, was, status, at, execution, workspace, project, program, version, execution_id)
    SELECT (at / 3600000) % 26, NULL, coalesce(status, 0::smallint), at, key, ws, project, program, version_key, id FROM new
  ), used AS (
    INSERT INTO usage_deltas (workspace, project, program, day, executions, turns, effect_attempts, compute_ms, stored_bytes)
    SELECT ws, project, program, at / ${DAY_MS}, count(*), sum(coalesce(turns, 0)), sum(attempts), sum(compute), sum(bytes)
    FROM new GROUP BY project, program, at / ${DAY_MS}
  )
  SELECT CASE WHEN g.version_key IS NULL THEN 'version_gone' WHEN w.key IS NULL THEN 'sent' ELSE 'started' END, g.key, g.at
  FROM given g LEFT JOIN new w ON w.key = g.key ORDER BY g.n;
END $$;
`

export const startMany: Migration = {
  version: 18,
  sql: startManyFunction('CREATE FUNCTION', {}),
}
