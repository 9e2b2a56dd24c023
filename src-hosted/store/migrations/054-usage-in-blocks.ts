// Blocks hold all that was used in their days, so a year by Program is read from blocks. Its days are millions of rows where there are
// thousands of Programs, and took nearly as long as a statement may.

import { BLOCK_DAYS, foldFunction } from './043-usage-totals.ts'
import type { Migration } from './migration.ts'

const COUNTS = ['executions', 'turns', 'effect_attempts', 'events', 'compute_ms'] as const

const COLUMNS = `
ALTER TABLE usage_blocks ${COUNTS.map((name) => `ADD COLUMN ${name} bigint NOT NULL DEFAULT 0`).join(', ')},
  -- By how many bytes times days less was stored than if all that was added had been there since the first day of the block.
  ADD COLUMN late_byte_days bigint NOT NULL DEFAULT 0;
`

const AMOUNTS = [...COUNTS, 'stored_bytes', 'late_byte_days'] as const

const intoBlocks = (
  from: string,
): string => `INSERT INTO usage_blocks AS b (workspace, project, program, block, ${AMOUNTS.join(', ')})
    SELECT workspace, project, program, day / ${BLOCK_DAYS}, ${COUNTS.map((name) => `sum(${name})`).join(', ')}, sum(stored_bytes),
      sum(stored_bytes * (day % ${BLOCK_DAYS})) FROM ${from} GROUP BY workspace, project, program, day / ${BLOCK_DAYS}`

export const INTO_BLOCKS = `${intoBlocks('taken')}
    ON CONFLICT (workspace, block, project, program) DO UPDATE SET
      ${AMOUNTS.map((name) => `${name} = b.${name} + excluded.${name}`).join(', ')}`

const FOLD = foldFunction(INTO_BLOCKS)

/**
 * The owner reads the days and fills the blocks in the next migration. No process is the owner. The days come first, as in statements of
 * processes: in another order, both would wait for each other.
 */
const SHOW = `
ALTER TABLE usage_days NO FORCE ROW LEVEL SECURITY;
ALTER TABLE usage_blocks NO FORCE ROW LEVEL SECURITY;
`

export const usageInBlocks: Migration = { version: 54, sql: SHOW + COLUMNS + FOLD }

/** As in `sumUsage`. Others go on reading the blocks as they were. */
export const sumBlocks: Migration = {
  version: 55,
  sql: `
SELECT pg_advisory_xact_lock(4, 0);
DELETE FROM usage_blocks;
${intoBlocks('usage_days')};
`,
}

/** As `hideDays`. */
export const hideUsage: Migration = {
  version: 56,
  sql: `
ALTER TABLE usage_days FORCE ROW LEVEL SECURITY;
ALTER TABLE usage_blocks FORCE ROW LEVEL SECURITY;
`,
}
