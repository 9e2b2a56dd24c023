// Timers are found by their own times, whatever else has moved their Executions' rows: events that nobody has delivered, or sweeps.

import type { Migration } from './migration.ts'

/** Of each workspace: there may be many with timers that are due. */
const MOST_SEEN = 2_000
/** Restate is asked for timers of at most this length. Timers are claimed so long before they are due. */
export const SHORT_TIMER_MS = 1_000

export const STAYS_HERE = `kind <> 2 AND due_at - since > ${SHORT_TIMER_MS}`

const INDEX = `
CREATE INDEX pending_timers ON pending (workspace, due_at) WHERE ${STAYS_HERE};
`

const FUNCTIONS = `
-- Claims rows with a timer or time-out that is due \`ahead\` ms from now or before, for 5 s from its time, then twice as long each time,
-- an hour at most. The workspaces after \`after\` share the claims, at least one and \`most_of_one\` at most each; \`last_workspace\` is the
-- last of them. Those of \`busy\` get none. \`is_more\`: one of them has had all of its share, and may have more. The release before calls
-- wes_overdue_in_turn.
CREATE FUNCTION wes_claim_timers(
  ahead bigint, most int, most_of_one int, after int, busy int[],
  OUT claims json, OUT last_workspace int, OUT is_more boolean
) LANGUAGE sql AS $$
  WITH due AS MATERIALIZED (
    SELECT w.key AS workspace, row_number() OVER (ORDER BY w.key <= after, w.key) AS turn
    FROM workspaces w CROSS JOIN LATERAL (
      SELECT p.due_at FROM pending p WHERE p.workspace = w.key AND ${STAYS_HERE} ORDER BY p.due_at LIMIT 1) AS f
    WHERE f.due_at < (SELECT wes_now()) + ahead AND w.key <> ALL (busy)
    ORDER BY turn LIMIT most
  ), share AS MATERIALIZED (
    SELECT least(most / greatest(count(*), 1), most_of_one) AS size FROM due
  ), taken AS MATERIALIZED (
    SELECT d.workspace, t.key, t.due_at FROM due d CROSS JOIN share s CROSS JOIN LATERAL (
      SELECT x.key, p.due_at FROM pending p JOIN executions x ON x.key = p.execution
      WHERE p.workspace = d.workspace AND ${STAYS_HERE} AND p.due_at < (SELECT wes_now()) + ahead
        AND x.wake_at < (SELECT wes_now()) + ahead
      ORDER BY p.due_at LIMIT s.size FOR NO KEY UPDATE OF x SKIP LOCKED) AS t
  ), moved AS (
    UPDATE executions e SET sweeps = least(e.sweeps + 1, 20),
      wake_at = greatest(t.at, wes_now()) + least(5000 * 2 ^ e.sweeps, 3600000)::bigint
    FROM (SELECT key, min(due_at) AS at FROM taken GROUP BY key) AS t WHERE e.key = t.key
    RETURNING e.id, e.workspace, t.at
  )
  SELECT coalesce((SELECT json_agg(m ORDER BY m.at) FROM moved m), '[]'),
    (SELECT d.workspace FROM due d ORDER BY d.turn DESC LIMIT 1),
    EXISTS (SELECT FROM taken t, share s GROUP BY t.workspace, s.size HAVING count(*) = s.size)
$$;

-- Claims rows that nobody looked at in time, except for timers: 10 s at first, then twice as long each time, an hour at most, but never
-- beyond the next timer. Workspaces share the claims as above.
CREATE FUNCTION wes_claim_overdue(
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
    SELECT l.workspace, t.key, t.timer_at FROM late l CROSS JOIN share s CROSS JOIN LATERAL (
      SELECT x.key, n.timer_at FROM (
        SELECT y.key, y.wake_at FROM executions y WHERE y.workspace = l.workspace AND y.wake_at < (SELECT wes_now()) - grace
        ORDER BY y.wake_at LIMIT ${MOST_SEEN}) AS f JOIN executions x ON x.key = f.key AND x.wake_at = f.wake_at
        CROSS JOIN LATERAL (
          SELECT min(p.due_at) AS timer_at FROM pending p WHERE p.execution = f.key AND ${STAYS_HERE}) AS n
      WHERE n.timer_at IS NULL OR n.timer_at >= (SELECT wes_now()) + ${SHORT_TIMER_MS}
      ORDER BY f.wake_at LIMIT s.size FOR NO KEY UPDATE OF x SKIP LOCKED) AS t
  ), moved AS (
    UPDATE executions e SET sweeps = least(e.sweeps + 1, 20),
      wake_at = least(wes_now() + least(10000 * 2 ^ e.sweeps, 3600000)::bigint, t.timer_at)
    FROM taken t WHERE e.key = t.key RETURNING e.id
  )
  SELECT coalesce((SELECT array_agg(m.id) FROM moved m), '{}'),
    (SELECT l.workspace FROM late l ORDER BY l.turn DESC LIMIT 1),
    EXISTS (SELECT FROM taken t, share s GROUP BY t.workspace, s.size HAVING count(*) = s.size)
$$;
`

export const timersByTime: Migration = { version: 36, sql: INDEX + FUNCTIONS }
