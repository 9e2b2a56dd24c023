// The confirmation of attempts read all Executions and all open commands where its plan was made while there were hardly any: each second,
// for as long as that plan was kept. A performer whose confirmations fail counts as dead.

import { isOneOf } from './057-commit-many.ts'
import type { Migration } from './migration.ts'

export const confirmByKey: Migration = {
  version: 59,
  sql: `
-- See 024-confirm-attempts.ts. PostgreSQL runs a subquery with a limit or a lock for each row, and so reads by the table's key.
CREATE OR REPLACE FUNCTION wes_still_perform(ids text[], commands int[], attempts int[], by_whom text)
RETURNS TABLE (id text, command int, attempt int) LANGUAGE sql AS $$
  WITH open AS MATERIALIZED (
    SELECT a.id, p.execution, p.command, p.attempt, p.asked_since IS NOT NULL AND p.performer = by_whom AS is_asked
    FROM unnest(ids, commands, attempts) AS a (id, command, attempt)
      CROSS JOIN LATERAL (SELECT x.key, x.status FROM executions x WHERE x.id = a.id LIMIT 1) AS e
      CROSS JOIN LATERAL (
        SELECT q.execution, q.command, q.attempt, q.kind, q.asked_since, q.performer FROM pending q
        WHERE q.execution = e.key AND q.command = a.command LIMIT 1
      ) AS p
    WHERE e.status < 4 AND p.attempt = a.attempt AND p.kind = 2
  ), free (execution, number) AS MATERIALIZED (
    SELECT o.execution, o.command FROM open o CROSS JOIN LATERAL (
      SELECT FROM pending q WHERE q.execution = o.execution AND q.command = o.command AND q.performer = by_whom
      FOR NO KEY UPDATE SKIP LOCKED
    ) AS p WHERE o.is_asked
  ), told AS (
    UPDATE pending SET asked_since = NULL WHERE ${isOneOf('command', 'free')}
  )
  SELECT o.id, o.command, o.attempt FROM open o
$$;
`,
}
