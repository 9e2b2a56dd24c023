import type Database from 'better-sqlite3'

type Parameters = unknown[] | Record<string, unknown>
type Arguments<Bound> = Bound extends unknown[] ? Bound : [Bound]

/** The part of a statement that the store uses. */
type Prepared<Bound, Row> = {
  get(...values: Arguments<Bound>): Row | undefined
  all(...values: Arguments<Bound>): Row[]
  /** No other statement may run before the iteration ends. */
  iterate(...values: Arguments<Bound>): Iterable<Row>
  run(...values: Arguments<Bound>): Database.RunResult
}

/**
 * A statement that is prepared at its first use, because a start uses few of them. SQLite recompiles a statement
 * whenever a parameter that the planner inspected (most in a comparison, and every limit) gets another value; that
 * takes ten times as long as running it. A unary plus hides a parameter from the planner; the plans here do not depend
 * on values.
 */
export const prepare = <Bound extends Parameters = unknown[], Row = unknown>(db: Database.Database, sql: string) => {
  const make = () => db.prepare(sql.replaceAll(/\?|@\w+/g, '+$&'))
  return {
    ...atFirstUse<Bound, Row>(make),
    /** For rows of one column: that column's value. */
    pluck: () => atFirstUse<Bound, Row>(() => make().pluck()),
  }
}

const atFirstUse = <Bound, Row>(make: () => Database.Statement): Prepared<Bound, Row> => {
  let statement: Database.Statement | undefined
  const prepared = () => (statement ??= make())
  return {
    get: (...values) => prepared().get(...values) as Row | undefined,
    all: (...values) => prepared().all(...values) as Row[],
    iterate: (...values) => prepared().iterate(...values) as Iterable<Row>,
    run: (...values) => prepared().run(...values),
  }
}
