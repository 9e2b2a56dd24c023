// After PostgreSQL's clock was set back, what a process that died had leased was kept until the clock came to the end of that lease again.

import { claimAttemptFunction } from './035-first-death.ts'
import { takeBulkFunction } from './050-bulks-in-turn.ts'
import type { Migration } from './migration.ts'

export const boundedLeases: Migration = {
  version: 60,
  sql: `
-- See 050-bulks-in-turn.ts. A lease whose end is further away than a lease is long was made before the clock was set back.
${takeBulkFunction('(x.free_at <= moment OR x.free_at > moment + lease)')}
-- See 035-first-death.ts. A time to come at which somebody asked is of before the clock was set back, and does not count.
${claimAttemptFunction(
  'asking bigint; is_asked boolean;',
  `    is_asked := coalesce(p.asked_at > at - dead_after AND p.asked_at <= at, false);
    IF p.asked_since IS NULL AND is_asked THEN outcome := 'performed'; RETURN; END IF;
    asking := CASE WHEN is_asked AND p.asked_since <= at THEN p.asked_since ELSE at END;`,
)}`,
}
