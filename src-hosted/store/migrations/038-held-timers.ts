// Due timers whose Executions are claimed are passed over once for each claim, not at each look for timers: of a Program whose visits
// fail, there may be as many as the workspace has Executions.

import type { Migration } from './migration.ts'
import { SHORT_TIMER_MS, STAYS_HERE } from './036-timers-by-time.ts'

/** A call looks at so many due timers of a workspace for each that it may claim. */
const SEEN_FOR_EACH = 4
/** The sweeper looks at so many overdue rows of each workspace. */
const MOST_OVERDUE_SEEN = 2_000

const COLUMN = `
-- No claim looks at the timer before, because its Execution is claimed until then. NULL: from when it is due.
ALTER TABLE pending ADD COLUMN look_at bigint;
CREATE INDEX pending_looks ON pending (workspace, (coalesce(look_at, due_at))) WHERE ${STAYS_HERE};
DROP INDEX pending_timers;
`

const FUNCTIONS = `
-- Claims rows with a timer or time-out that is due \`ahead\` ms from now or before, for 5 s from its time, then twice as long each time,
-- an hour at most. The workspaces after \`after\` share the claims, at least one and \`most_of_one\` at most each; \`last_workspace\` is the
-- last of them. Those of \`busy\` get none. \`is_more\`: one of them may have more. It waits for nobody's lock. Rows are found one by one,
-- also where PostgreSQL expects many: it would read whole tables then.
CREATE OR REPLACE FUNCTION wes_claim_timers(
  ahead bigint, most int, most_of_one int, after int, busy int[],
  OUT claims json, OUT last_workspace int, OUT is_more boolean
) LANGUAGE sql AS $$
  WITH due AS MATERIALIZED (
    SELECT w.key AS workspace, row_number() OVER (ORDER BY w.key <= after, w.key) AS turn
    FROM workspaces w CROSS JOIN LATERAL (
      SELECT coalesce(p.look_at, p.due_at) AS look_at FROM pending p WHERE p.workspace = w.key AND ${STAYS_HERE}
      ORDER BY coalesce(p.look_at, p.due_at) LIMIT 1) AS f
    WHERE f.look_at < (SELECT wes_now()) + ahead AND w.key <> ALL (busy)
    ORDER BY turn LIMIT most
  ), share AS MATERIALIZED (
    SELECT least(most / greatest(count(*), 1), most_of_one) AS size FROM due
  ), seen AS MATERIALIZED (
    SELECT d.workspace, p.execution, p.command, p.due_at, p.wake_at >= (SELECT wes_now()) + ahead AS is_held
    FROM due d CROSS JOIN share s CROSS JOIN LATERAL (
      SELECT p.execution, p.command, p.due_at, (SELECT x.wake_at FROM executions x WHERE x.key = p.execution) AS wake_at FROM pending p
      WHERE p.workspace = d.workspace AND ${STAYS_HERE} AND coalesce(p.look_at, p.due_at) < (SELECT wes_now()) + ahead
      ORDER BY coalesce(p.look_at, p.due_at) LIMIT ${SEEN_FOR_EACH} * s.size) AS p
  ), crowded AS (
    SELECT f.workspace FROM seen f CROSS JOIN share s GROUP BY f.workspace, s.size
    HAVING count(*) = ${SEEN_FOR_EACH} * s.size AND count(*) FILTER (WHERE NOT f.is_held) < s.size
  ), held AS MATERIALIZED (
    SELECT p.place FROM seen f CROSS JOIN LATERAL (
      SELECT p.ctid AS place FROM pending p WHERE p.execution = f.execution AND p.command = f.command
      FOR NO KEY UPDATE SKIP LOCKED) AS p
    WHERE f.is_held AND f.due_at < (SELECT wes_now()) AND f.workspace IN (SELECT c.workspace FROM crowded c)
  ), passed AS (
    UPDATE pending p SET look_at = (SELECT x.wake_at FROM executions x WHERE x.key = p.execution)
    WHERE p.ctid = ANY (ARRAY (SELECT h.place FROM held h)) RETURNING p.command
  ), taken AS MATERIALIZED (
    SELECT d.workspace, t.key, t.due_at FROM due d CROSS JOIN share s CROSS JOIN LATERAL (
      SELECT x.key, f.due_at FROM (
        SELECT f.execution, f.due_at FROM seen f WHERE f.workspace = d.workspace AND NOT f.is_held ORDER BY f.due_at) AS f
        CROSS JOIN LATERAL (
          SELECT x.key FROM executions x WHERE x.key = f.execution AND x.wake_at < (SELECT wes_now()) + ahead
          FOR NO KEY UPDATE SKIP LOCKED) AS x
      ORDER BY f.due_at LIMIT s.size) AS t
  ), moved AS (
    UPDATE executions e SET sweeps = least(e.sweeps + 1, 20),
      wake_at = greatest(t.at, wes_now()) + least(5000 * 2 ^ e.sweeps, 3600000)::bigint
    FROM (SELECT key, min(due_at) AS at FROM taken GROUP BY key) AS t
    WHERE e.key = t.key AND e.key = ANY (ARRAY (SELECT key FROM taken))
    RETURNING e.id, e.workspace, t.at
  )
  SELECT coalesce((SELECT json_agg(m ORDER BY m.at) FROM moved m), '[]'),
    (SELECT d.workspace FROM due d ORDER BY d.turn DESC LIMIT 1),
    EXISTS (SELECT FROM taken t, share s GROUP BY t.workspace, s.size HAVING count(*) = s.size)
      OR EXISTS (SELECT FROM passed)
$$;

-- Claims rows that nobody looked at in time, except for timers: 10 s at first, then twice as long each time, an hour at most, but never
-- beyond the next look for its timers. Workspaces share the claims as above.
CREATE OR REPLACE FUNCTION wes_claim_overdue(
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
        ORDER BY y.wake_at LIMIT ${MOST_OVERDUE_SEEN}) AS f JOIN executions x ON x.key = f.key AND x.wake_at = f.wake_at
        CROSS JOIN LATERAL (
          SELECT min(coalesce(p.look_at, p.due_at)) AS timer_at FROM pending p WHERE p.execution = f.key AND ${STAYS_HERE}) AS n
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

export const heldTimers: Migration = { version: 38, sql: COLUMN + FUNCTIONS }
