// Overdue Executions, for which workspaces take turns.

import type { Migration } from './migration.ts'

const INDEX = `
CREATE INDEX executions_to_wake_of ON executions (workspace, wake_at) WHERE wake_at IS NOT NULL;
`

const FUNCTIONS = `
CREATE FUNCTION wes_next_wake() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT min(f.wake_at) FROM workspaces w CROSS JOIN LATERAL (
    SELECT x.wake_at FROM executions x WHERE x.workspace = w.key AND x.wake_at IS NOT NULL ORDER BY x.wake_at LIMIT 1) AS f
$$;

-- Claims rows that nobody looked at in time: 10 s at first, then twice as long each time, an hour at most. The workspaces
-- after \`after\` share the claims, at least one each; \`last_workspace\` is the last of them. \`is_more\`: one of them has had all of its
-- share, and may have more. The release before calls wes_overdue.
CREATE FUNCTION wes_overdue_in_turn(
  grace bigint, most int, after int, OUT ids text[], OUT last_workspace int, OUT is_more boolean
) LANGUAGE sql AS $$
  WITH late AS MATERIALIZED (
    SELECT w.key AS workspace, row_number() OVER (ORDER BY w.key <= after, w.key) AS turn
    FROM workspaces w CROSS JOIN LATERAL (
      SELECT x.wake_at FROM executions x WHERE x.workspace = w.key AND x.wake_at IS NOT NULL ORDER BY x.wake_at LIMIT 1) AS f
    WHERE f.wake_at < (SELECT wes_now()) - grace
    ORDER BY turn LIMIT most
  ), share AS MATERIALIZED (
    SELECT most / greatest(count(*), 1) AS size FROM late
  ), taken AS MATERIALIZED (
    SELECT l.workspace, t.key FROM late l CROSS JOIN share s CROSS JOIN LATERAL (
      SELECT x.key FROM executions x WHERE x.workspace = l.workspace AND x.wake_at < (SELECT wes_now()) - grace
      ORDER BY x.wake_at LIMIT s.size FOR NO KEY UPDATE SKIP LOCKED) AS t
  ), moved AS (
    UPDATE executions e SET sweeps = least(e.sweeps + 1, 20),
      wake_at = wes_now() + least(10000 * 2 ^ e.sweeps, 3600000)::bigint
    FROM taken t WHERE e.key = t.key RETURNING e.id
  )
  SELECT coalesce((SELECT array_agg(m.id) FROM moved m), '{}'),
    (SELECT l.workspace FROM late l ORDER BY l.turn DESC LIMIT 1),
    EXISTS (SELECT FROM taken t, share s GROUP BY t.workspace, s.size HAVING count(*) = s.size)
$$;
`

export const overdueInTurn: Migration = { version: 26, sql: INDEX + FUNCTIONS }

/**
 * A transaction of its own: it keeps readers out too, but only for a moment, and a lock that grows while writes wait for the new
 * index would be a deadlock.
 */
export const dropOldWakeIndex: Migration = { version: 27, sql: 'DROP INDEX executions_to_wake' }
