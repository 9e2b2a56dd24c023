// Regular work that any process may do: folding the changes into counts, and removing old rows.

import type { Migration } from './migration.ts'

const DAY_MS = 86_400_000

/** What differs where 067 removes counts of 0: `counted` is what the changed counts return. */
type FoldParts = {
  readonly variables: string
  readonly counted: string
  readonly end: string
  readonly isKept?: string
}

/** `create`: its comment, and how it is created. `isKept`: a further condition of the sums that are kept. */
export const foldFunction = (create: string, { variables, counted, end, isKept = '' }: FoldParts): string => `
${create} wes_fold(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE mark record; folded int;${variables}
BEGIN
  SELECT xid, seq INTO mark FROM change_marks WHERE name = 'folded' FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  WITH batch AS MATERIALIZED (
    SELECT * FROM changes c WHERE (c.xid, c.seq) > (mark.xid, mark.seq) AND c.xid < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY c.xid, c.seq LIMIT most
  ), moves AS (
    SELECT project, version, status AS of_status, workspace, program, 1 AS n FROM batch
      WHERE status IS DISTINCT FROM was AND status IS NOT NULL
    UNION ALL
    SELECT project, version, was, workspace, program, -1 FROM batch WHERE status IS DISTINCT FROM was AND was IS NOT NULL
  ), counted AS (
    INSERT INTO status_counts AS s (project, version, status, workspace, program, count)
    SELECT project, version, of_status, workspace, program, sum(n) FROM moves GROUP BY 1, 2, 3, 4, 5 HAVING sum(n) <> 0${isKept}
    ON CONFLICT (project, version, status) DO UPDATE SET count = s.count + excluded.count${counted}
  ), failures AS (
    SELECT error_group AS of_group, sum(CASE WHEN status IS NULL THEN -1 ELSE 1 END) AS n,
      min(at) FILTER (WHERE status IS NOT NULL) AS first, max(at) FILTER (WHERE status IS NOT NULL) AS last
    FROM batch WHERE error_group IS NOT NULL GROUP BY 1
  ), grouped AS (
    UPDATE error_groups g SET count = g.count + f.n, first_at = least(g.first_at, f.first),
      last_at = greatest(g.last_at, f.last)
    FROM failures f WHERE g.key = f.of_group
  ), moved AS (
    UPDATE change_marks m SET xid = l.xid, seq = l.seq
    FROM (SELECT xid, seq FROM batch ORDER BY xid DESC, seq DESC LIMIT 1) AS l WHERE m.name = 'folded'
  )
${end}
  RETURN folded;
END $$;
`

const FOLD = foldFunction(
  `-- Adds up to \`most\` changes to the counts, in one transaction with the mark: whoever reads counts what is behind it himself.
CREATE FUNCTION`,
  { variables: '', counted: '', end: '  SELECT count(*) INTO folded FROM batch;' },
)

const EMPTY_CHANGES = `
-- Empties the part of the stream that the next hour is written to: it is 25 hours old. Whether there is nothing to do any
-- more; not while some of it is not folded.
CREATE FUNCTION wes_empty_changes(of_slot int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE newest record; folded record;
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  SELECT xid, seq INTO folded FROM change_marks WHERE name = 'folded' FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  SELECT xid, seq INTO newest FROM changes WHERE slot = of_slot ORDER BY xid DESC, seq DESC LIMIT 1;
  IF NOT FOUND THEN RETURN true; END IF;
  IF (newest.xid, newest.seq) > (folded.xid, folded.seq) THEN RETURN false; END IF;
  EXECUTE format('TRUNCATE changes_%s', of_slot);
  UPDATE change_marks SET xid = newest.xid, seq = newest.seq
  WHERE name = 'emptied' AND (xid, seq) < (newest.xid, newest.seq);
  RETURN true;
END $$;
`

const REMOVE_OLD = `
-- Idempotency keys of more than a day. How many.
CREATE FUNCTION wes_remove_keys(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE starts int; events int;
BEGIN
  DELETE FROM idempotency WHERE (project, key) IN (
    SELECT i.project, i.key FROM idempotency i WHERE i.created_at < wes_now() - ${DAY_MS}
    ORDER BY i.created_at LIMIT most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS starts = ROW_COUNT;
  DELETE FROM event_keys WHERE (execution, key) IN (
    SELECT i.execution, i.key FROM event_keys i WHERE i.created_at < wes_now() - ${DAY_MS}
    ORDER BY i.created_at LIMIT most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS events = ROW_COUNT;
  RETURN greatest(starts, events);
END $$;

-- Executions of a workspace that ended before a time. How many.
CREATE FUNCTION wes_remove_ended(ws int, before bigint, most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE old bigint; removed int := 0;
BEGIN
  FOR old IN
    SELECT e.key FROM projects j CROSS JOIN LATERAL (
      SELECT x.key FROM executions x WHERE x.project = j.key AND x.finished_at < before
      ORDER BY x.finished_at LIMIT most) AS e
    WHERE j.workspace = ws LIMIT most
  LOOP
    PERFORM wes_remove_execution(old);
    removed := removed + 1;
  END LOOP;
  RETURN removed;
END $$;

-- Some more of one deleted Execution's journal. Whether there was one.
CREATE FUNCTION wes_remove_rest() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE d record; part record;
BEGIN
  SELECT * INTO d FROM deletions ORDER BY execution LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  SELECT * INTO part FROM wes_remove_entries(d.execution);
  IF part.is_all THEN DELETE FROM deletions x WHERE x.execution = d.execution; END IF;
  INSERT INTO usage_deltas (workspace, project, program, day, stored_bytes)
  VALUES (d.workspace, d.project, d.program, wes_now() / ${DAY_MS}, -part.bytes);
  RETURN true;
END $$;

-- Groups without failures. The lock waits for nobody, and whoever is about to add a failure holds one.
CREATE FUNCTION wes_remove_groups(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE empty bigint[]; removed int;
BEGIN
  SELECT array_agg(key) INTO empty FROM (
    SELECT key FROM error_groups WHERE count <= 0 ORDER BY key LIMIT most FOR UPDATE SKIP LOCKED) AS g;
  DELETE FROM error_groups g WHERE g.key = ANY (empty)
    AND NOT EXISTS (SELECT FROM executions e WHERE e.error_group = g.key);
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN removed;
END $$;
CREATE INDEX error_groups_empty ON error_groups (key) WHERE count <= 0;
`

export const upkeep: Migration = { version: 8, sql: [FOLD, EMPTY_CHANGES, REMOVE_OLD].join('') }
