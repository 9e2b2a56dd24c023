/**
 * A read of one workspace, whose key is the first parameter, in one call. `select` names it as `scope.workspace` in its
 * conditions, and so is evaluated behind the setting that row-level security asks for: the subquery depends on it, and
 * OFFSET 0 keeps the planner from joining the two the other way round.
 */
export const scopedRead = (select: string): string =>
  `SELECT r.* FROM (SELECT set_config('wes.workspace', $1::int::text, true)::int AS workspace OFFSET 0) AS scope
   CROSS JOIN LATERAL (${select} OFFSET 0) AS r`
