// The confirmation of attempts, which waited for the rows of its attempts in the order in which they were named: it and a
// commit that closes several of them could wait for each other, and one row that was locked held up all others, until the
// performer counted as dead.

import type { Migration } from './migration.ts'

export const confirmAttempts: Migration = {
  version: 24,
  sql: `
-- Which of these attempts are open. Whoever asked is told that \`by_whom\` performs them; where the row is locked just now,
-- the next time. So this waits for nobody.
CREATE OR REPLACE FUNCTION wes_still_perform(ids text[], commands int[], attempts int[], by_whom text)
RETURNS TABLE (id text, command int, attempt int) LANGUAGE sql AS $$
  WITH open AS MATERIALIZED (
    SELECT a.id, p.execution, p.command, p.attempt, p.asked_since IS NOT NULL AND p.performer = by_whom AS is_asked
    FROM unnest(ids, commands, attempts) AS a (id, command, attempt)
      JOIN executions e ON e.id = a.id AND e.status < 4
      JOIN pending p ON p.execution = e.key AND p.command = a.command AND p.attempt = a.attempt AND p.kind = 2
  ), free AS MATERIALIZED (
    SELECT q.execution, q.command FROM open o JOIN pending q ON q.execution = o.execution AND q.command = o.command
    WHERE o.is_asked AND q.performer = by_whom FOR NO KEY UPDATE OF q SKIP LOCKED
  ), told AS (
    UPDATE pending q SET asked_since = NULL FROM free f WHERE q.execution = f.execution AND q.command = f.command
  )
  SELECT o.id, o.command, o.attempt FROM open o
$$;
`,
}
