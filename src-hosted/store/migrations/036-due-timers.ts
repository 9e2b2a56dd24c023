// Timers, which workers find here: Restate is asked for short ones alone.

import type { Migration } from './migration.ts'

/** Rows of each workspace: there may be many of the kind that is not claimed. */
const MOST_SEEN = 2_000

export const dueTimers: Migration = {
  version: 36,
  sql: `
-- Claims rows whose \`wake_at\` is before \`ahead\` ms from now: either those where it is the time of an open timer or time-out, or
-- where a timer was due and whoever claimed the row before has died; or those at which nobody looked in time. Timers for 5 s at
-- first, others for 10 s, then twice as long each time, an hour at most. The workspaces after
-- \`after\` share the claims, at least one and \`most_of_one\` at most each; \`last_workspace\` is the last of them. Those of \`busy\`
-- get none. \`is_more\`: one of them has had all of its share, and may have more. The release before calls wes_overdue_in_turn.
CREATE FUNCTION wes_claim_due(
  timers boolean, ahead bigint, most int, most_of_one int, after int, busy int[],
  OUT claims json, OUT last_workspace int, OUT is_more boolean
) LANGUAGE sql AS $$
  WITH due AS MATERIALIZED (
    SELECT w.key AS workspace, row_number() OVER (ORDER BY w.key <= after, w.key) AS turn
    FROM workspaces w CROSS JOIN LATERAL (
      SELECT x.wake_at FROM executions x WHERE x.workspace = w.key AND x.wake_at IS NOT NULL ORDER BY x.wake_at LIMIT 1) AS f
    WHERE f.wake_at < (SELECT wes_now()) + ahead AND w.key <> ALL (busy)
    ORDER BY turn LIMIT most
  ), share AS MATERIALIZED (
    SELECT least(most / greatest(count(*), 1), most_of_one) AS size FROM due
  ), taken AS MATERIALIZED (
    SELECT d.workspace, t.key, t.wake_at FROM due d CROSS JOIN share s CROSS JOIN LATERAL (
      SELECT x.key, x.wake_at FROM (
        SELECT y.key, y.wake_at FROM executions y WHERE y.workspace = d.workspace AND y.wake_at < (SELECT wes_now()) + ahead
        ORDER BY y.wake_at LIMIT ${MOST_SEEN}) AS f JOIN executions x ON x.key = f.key AND x.wake_at = f.wake_at
      WHERE timers = EXISTS (SELECT FROM pending p WHERE p.execution = x.key AND p.kind <> 2
        AND (p.due_at = x.wake_at OR (x.sweeps > 0 AND p.due_at < x.wake_at)))
      ORDER BY f.wake_at LIMIT s.size FOR NO KEY UPDATE OF x SKIP LOCKED) AS t
  ), moved AS (
    UPDATE executions e SET sweeps = least(e.sweeps + 1, 20),
      wake_at = greatest(t.wake_at, wes_now()) + least(CASE WHEN timers THEN 5000 ELSE 10000 END * 2 ^ e.sweeps, 3600000)::bigint
    FROM taken t WHERE e.key = t.key RETURNING e.id, e.workspace, t.wake_at AS at
  )
  SELECT coalesce((SELECT json_agg(m) FROM moved m), '[]'),
    (SELECT d.workspace FROM due d ORDER BY d.turn DESC LIMIT 1),
    EXISTS (SELECT FROM taken t, share s GROUP BY t.workspace, s.size HAVING count(*) = s.size)
$$;
`,
}
