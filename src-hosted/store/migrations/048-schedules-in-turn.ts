// Workers find due schedules themselves, and workspaces take turns with them, as with timers.

import type { Migration } from './migration.ts'

/** A worker that claimed a schedule has died by then, or failed. */
const CLAIMED_MS = 5_000

const COLUMNS = `
-- Which of its times is claimed, and until when nobody else fires that one.
ALTER TABLE triggers ADD COLUMN claimed_time bigint, ADD COLUMN claimed_until bigint;
ALTER INDEX triggers_due_in_turn_new RENAME TO triggers_due_in_turn;
`

/**
 * The workspace `w` has a schedule to claim. What is due first of all is read by its order: PostgreSQL would read the whole table for an
 * EXISTS, because it expects that a third of it is due. BETWEEN, because it would read all that is due in the order of time for each
 * workspace otherwise.
 */
const IS_DUE = `(SELECT t.next_fire_at FROM triggers t WHERE t.next_fire_at IS NOT NULL ORDER BY t.next_fire_at LIMIT 1)
        < (SELECT wes_now()) + ahead
      AND w.key <> ALL (busy)
      AND (SELECT t.next_fire_at FROM triggers t WHERE t.workspace BETWEEN w.key AND w.key AND t.next_fire_at IS NOT NULL
          AND (t.claimed_time IS DISTINCT FROM t.next_fire_at OR t.claimed_until <= (SELECT wes_now()))
        ORDER BY t.workspace, t.next_fire_at LIMIT 1) < (SELECT wes_now()) + ahead`

const CLAIM = `
-- Claims schedules whose time is \`ahead\` ms from now or before. Workspaces share the claims as those of wes_claim_timers. Where nothing is
-- due, it looks at no workspace, and at none behind the last one that gets a share. It waits for nobody's lock.
CREATE FUNCTION wes_claim_schedules(
  ahead bigint, most int, most_of_one int, after int, busy int[],
  OUT claims json, OUT last_workspace int, OUT is_more boolean
) LANGUAGE sql AS $$
  WITH behind AS MATERIALIZED (
    SELECT w.key FROM workspaces w WHERE w.key > after AND ${IS_DUE} ORDER BY w.key LIMIT most
  ), before AS MATERIALIZED (
    SELECT w.key FROM workspaces w WHERE w.key <= after AND ${IS_DUE} ORDER BY w.key LIMIT most - (SELECT count(*) FROM behind)
  ), due AS MATERIALIZED (
    SELECT f.key AS workspace, row_number() OVER (ORDER BY f.key <= after, f.key) AS turn FROM (TABLE behind UNION ALL TABLE before) AS f
  ), share AS MATERIALIZED (
    SELECT least(most / greatest(count(*), 1), most_of_one) AS size FROM due
  ), taken AS MATERIALIZED (
    SELECT d.workspace, t.id FROM due d CROSS JOIN share s CROSS JOIN LATERAL (
      SELECT t.id FROM triggers t WHERE t.workspace BETWEEN d.workspace AND d.workspace
        AND t.next_fire_at < (SELECT wes_now()) + ahead
        AND (t.claimed_time IS DISTINCT FROM t.next_fire_at OR t.claimed_until <= (SELECT wes_now()))
      ORDER BY t.workspace, t.next_fire_at LIMIT s.size FOR NO KEY UPDATE OF t SKIP LOCKED) AS t
  ), claimed AS (
    UPDATE triggers t SET claimed_time = t.next_fire_at, claimed_until = greatest(t.next_fire_at, wes_now()) + ${CLAIMED_MS}
    WHERE t.id = ANY (ARRAY (SELECT k.id FROM taken k))
    RETURNING t.id, t.workspace, t.next_fire_at AS at
  )
  SELECT coalesce((SELECT json_agg(c ORDER BY c.at) FROM claimed c), '[]'),
    (SELECT d.workspace FROM due d ORDER BY d.turn DESC LIMIT 1),
    EXISTS (SELECT FROM taken t, share s GROUP BY t.workspace, s.size HAVING count(*) = s.size)
$$;
`

export const schedulesInTurn: Migration = {
  version: 48,
  indexes: { triggers_due_in_turn_new: 'ON triggers (workspace, next_fire_at) WHERE next_fire_at IS NOT NULL' },
  sql: COLUMNS + CLAIM,
}
