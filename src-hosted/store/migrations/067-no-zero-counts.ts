// Changes of a version that were folded after it was removed left counts of 0, which nobody removed.

import type { Migration } from './migration.ts'

export const noZeroCounts: Migration = {
  version: 67,
  sql: `
-- As before; but of what it has counted down to 0, no row is left.
CREATE OR REPLACE FUNCTION wes_fold(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE mark record; folded int; projects int[]; versions int[];
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
    SELECT project, version, of_status, workspace, program, sum(n) FROM moves GROUP BY 1, 2, 3, 4, 5 HAVING sum(n) <> 0
    ON CONFLICT (project, version, status) DO UPDATE SET count = s.count + excluded.count
    RETURNING s.project, s.version, s.count
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
  SELECT (SELECT count(*) FROM batch), array_agg(c.project), array_agg(c.version) INTO folded, projects, versions
  FROM counted c WHERE c.count = 0;
  DELETE FROM status_counts s USING unnest(projects, versions) AS z (project, version)
  WHERE s.project = z.project AND s.version = z.version AND s.count = 0;
  RETURN folded;
END $$;
ALTER TABLE status_counts NO FORCE ROW LEVEL SECURITY;
DELETE FROM status_counts WHERE count = 0;
ALTER TABLE status_counts FORCE ROW LEVEL SECURITY;
`,
}
