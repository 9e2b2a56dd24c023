// The first death of an attempt's performer counts, too: an attempt fails after three deaths, as on a local runtime. Nobody
// knows whether it was under way then. One that only waited is not failed by that: it runs alone before a third one counts.

import type { Migration } from './migration.ts'

/** `variables`: that it has beside the rows. `whenOthers`: what it does first where somebody else performs the attempt; sets `asking`. */
export const claimAttemptFunction = (
  variables: string,
  whenOthers: string,
): string => `CREATE OR REPLACE FUNCTION wes_claim_attempt(
  of_id text, of_command int, of_attempt int, by_whom text, dead_after int,
  OUT outcome text, OUT head json, OUT workspace_id text, OUT effect json, OUT data text, OUT at bigint,
  OUT later_attempt int, OUT later_due bigint
) LANGUAGE plpgsql AS $$
DECLARE e record; p record; ${variables}
BEGIN
  SELECT x.* INTO e FROM executions x WHERE x.id = of_id AND x.status < 4;
  IF NOT FOUND THEN outcome := 'gone'; RETURN; END IF;
  SELECT q.* INTO p FROM pending q WHERE q.execution = e.key AND q.command = of_command AND q.kind = 2 FOR NO KEY UPDATE;
  IF NOT FOUND OR p.attempt < of_attempt THEN outcome := 'gone'; RETURN; END IF;
  at := wes_now();
  IF EXISTS (SELECT FROM outcomes o WHERE o.execution = e.key AND o.command = of_command) THEN
    outcome := 'answered'; RETURN;
  END IF;
  IF p.attempt > of_attempt THEN
    outcome := 'later'; later_attempt := p.attempt; later_due := p.due_at; RETURN;
  END IF;
  IF p.performer <> by_whom THEN
${whenOthers}
    IF asking > at - dead_after THEN
      UPDATE pending q SET asked_since = asking, asked_at = at WHERE q.execution = e.key AND q.command = of_command;
      outcome := 'asked'; RETURN;
    END IF;
  END IF;
  UPDATE pending q SET performer = by_whom, asked_since = NULL, asked_at = NULL, under_way = NULL,
    deaths = CASE WHEN p.performer <> by_whom THEN coalesce(p.deaths + (p.under_way IS TRUE)::int, 1) ELSE p.deaths END
  WHERE q.execution = e.key AND q.command = of_command RETURNING q.* INTO p;
  outcome := 'taken'; effect := row_to_json(p);
  SELECT json_build_object('key', e.key, 'id', e.id, 'project_id', j.id, 'program_id', m.id, 'version_id', v.id,
      'version_number', v.number), w.id, s.data
    INTO head, workspace_id, data
    FROM versions v, programs m, projects j, workspaces w, journal s
    WHERE v.key = e.version AND m.key = e.program AND j.key = e.project AND w.key = e.workspace
      AND s.execution = e.key AND s.position = p.position;
END $$;
`

export const firstDeath: Migration = {
  version: 35,
  sql: `
-- A performer that does not say for \`dead_after\` ms that it still performs the attempt has died. While nobody could ask, it
-- has not: after a pause of that length, the time begins anew. The first death makes \`deaths\` known, and counts; further ones
-- count where the attempt was under way. So an attempt whose performer lives needs no statement to say so.
${claimAttemptFunction(
  'asking bigint;',
  `    IF p.asked_since IS NULL AND p.asked_at > at - dead_after THEN outcome := 'performed'; RETURN; END IF;
    asking := CASE WHEN p.asked_at > at - dead_after THEN p.asked_since ELSE at END;`,
)}`,
}
