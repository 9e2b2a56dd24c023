import type Database from 'better-sqlite3'

type Parameters = unknown[] | Record<string, unknown>

/**
 * A prepared statement that stays prepared. SQLite compiles a statement anew whenever a value is bound that the planner
 * looked at (most of those in a comparison, and every limit), which takes ten times as long as running it. It looks at
 * no parameter behind a unary plus, which does nothing else; the plans here do not depend on values.
 */
export const prepare = <Bound extends Parameters = unknown[], Row = unknown>(db: Database.Database, sql: string) =>
  db.prepare<Bound, Row>(sql.replaceAll(/\?|@\w+/g, '+$&'))
