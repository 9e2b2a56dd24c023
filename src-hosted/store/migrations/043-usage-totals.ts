// What was used is read from sums: with thousands of Programs, the days of a year alone are millions of rows, and whoever asked for today
// read all days since the first one, because what is stored is the sum up to it.

import type { Migration } from './migration.ts'
import { protect } from './protect.ts'

/** Days in a block: a power of two, so that nobody needs a calendar. */
export const BLOCK_DAYS = 32

const TABLES = `
-- What was used on a day in a project, by all its Programs.
CREATE TABLE usage_totals (
  workspace int NOT NULL,
  project int NOT NULL,
  day int NOT NULL,
  executions bigint NOT NULL,
  turns bigint NOT NULL,
  effect_attempts bigint NOT NULL,
  events bigint NOT NULL,
  compute_ms bigint NOT NULL,
  stored_bytes bigint NOT NULL,
  PRIMARY KEY (workspace, day, project)
);

-- By how much the stored bytes of a Program grew in the ${BLOCK_DAYS} days from block * ${BLOCK_DAYS} on.
CREATE TABLE usage_blocks (
  workspace int NOT NULL,
  project int NOT NULL,
  program int NOT NULL,
  block int NOT NULL,
  stored_bytes bigint NOT NULL,
  PRIMARY KEY (workspace, block, project, program)
);
${protect('usage_totals', 'usage_blocks')}
`

type FoldParts = { readonly removed: string; readonly taken: string }

/** All that is removed is added to the days. */
const ALL: FoldParts = { removed: 'taken', taken: '' }

/** `intoBlocks`: how what was taken is added to the blocks. */
export const foldFunction = (intoBlocks: string, { removed, taken }: FoldParts = ALL): string => `
CREATE OR REPLACE FUNCTION wes_fold_usage(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE folded int;
BEGIN
  IF NOT pg_try_advisory_xact_lock(4, 0) THEN RETURN 0; END IF;
  WITH ${removed} AS (
    DELETE FROM usage_deltas WHERE ctid = ANY (ARRAY (SELECT ctid FROM usage_deltas LIMIT most)) RETURNING *
  )${taken}, days AS (
    INSERT INTO usage_days AS d (workspace, project, program, day, executions, turns, effect_attempts, events, compute_ms,
      stored_bytes)
    SELECT workspace, project, program, day, sum(executions), sum(turns), sum(effect_attempts), sum(events),
      sum(compute_ms), sum(stored_bytes) FROM taken GROUP BY workspace, project, program, day
    ON CONFLICT (workspace, day, project, program) DO UPDATE SET executions = d.executions + excluded.executions,
      turns = d.turns + excluded.turns, effect_attempts = d.effect_attempts + excluded.effect_attempts,
      events = d.events + excluded.events, compute_ms = d.compute_ms + excluded.compute_ms,
      stored_bytes = d.stored_bytes + excluded.stored_bytes
  ), totals AS (
    INSERT INTO usage_totals AS t (workspace, project, day, executions, turns, effect_attempts, events, compute_ms, stored_bytes)
    SELECT workspace, project, day, sum(executions), sum(turns), sum(effect_attempts), sum(events), sum(compute_ms),
      sum(stored_bytes) FROM taken GROUP BY workspace, project, day
    ON CONFLICT (workspace, day, project) DO UPDATE SET executions = t.executions + excluded.executions,
      turns = t.turns + excluded.turns, effect_attempts = t.effect_attempts + excluded.effect_attempts,
      events = t.events + excluded.events, compute_ms = t.compute_ms + excluded.compute_ms,
      stored_bytes = t.stored_bytes + excluded.stored_bytes
  ), blocks AS (
    ${intoBlocks}
  ), stored AS (
    INSERT INTO usage_stored AS s (workspace, stored_bytes)
    SELECT workspace, sum(stored_bytes) FROM taken GROUP BY workspace
    ON CONFLICT (workspace) DO UPDATE SET stored_bytes = s.stored_bytes + excluded.stored_bytes
  )
  SELECT count(*) INTO folded FROM ${removed};
  RETURN folded;
END $$;
`

const BLOCKS = `INSERT INTO usage_blocks AS b (workspace, project, program, block, stored_bytes)
    SELECT workspace, project, program, day / ${BLOCK_DAYS}, sum(stored_bytes) FROM taken
    GROUP BY workspace, project, program, day / ${BLOCK_DAYS}
    ON CONFLICT (workspace, block, project, program) DO UPDATE SET stored_bytes = b.stored_bytes + excluded.stored_bytes`

/** The owner reads the days in the next migration. No process is the owner. */
const SHOW_DAYS = 'ALTER TABLE usage_days NO FORCE ROW LEVEL SECURITY;'

export const usageTotals: Migration = { version: 43, sql: TABLES + foldFunction(BLOCKS) + SHOW_DAYS }

/**
 * A transaction of its own, once the function above is everybody's: what a process of the release before folds by the function before is in
 * the days only. Nobody folds meanwhile. What was folded since is summed up here, too. It takes long where there are many days, and others
 * go on reading these.
 */
export const sumUsage: Migration = {
  version: 44,
  sql: `
SELECT pg_advisory_xact_lock(4, 0);
ALTER TABLE usage_totals NO FORCE ROW LEVEL SECURITY;
ALTER TABLE usage_blocks NO FORCE ROW LEVEL SECURITY;
DELETE FROM usage_totals;
DELETE FROM usage_blocks;
INSERT INTO usage_totals (workspace, project, day, executions, turns, effect_attempts, events, compute_ms, stored_bytes)
SELECT workspace, project, day, sum(executions), sum(turns), sum(effect_attempts), sum(events), sum(compute_ms), sum(stored_bytes)
FROM usage_days GROUP BY workspace, project, day;
INSERT INTO usage_blocks (workspace, project, program, block, stored_bytes)
SELECT workspace, project, program, day / ${BLOCK_DAYS}, sum(stored_bytes) FROM usage_days
GROUP BY workspace, project, program, day / ${BLOCK_DAYS};
ALTER TABLE usage_totals FORCE ROW LEVEL SECURITY;
ALTER TABLE usage_blocks FORCE ROW LEVEL SECURITY;
`,
}

/** A transaction of its own, because it keeps others from reading the days until it ends. */
export const hideDays: Migration = { version: 47, sql: 'ALTER TABLE usage_days FORCE ROW LEVEL SECURITY' }
