import type Database from 'better-sqlite3'

type Parameters = unknown[] | Record<string, unknown>
type Arguments<Bound> = Bound extends unknown[] ? Bound : [Bound]

/** What the store uses of a statement. */
type Prepared<Bound, Row> = {
  get(...values: Arguments<Bound>): Row | undefined
  all(...values: Arguments<Bound>): Row[]
  /** Nothing else may be asked of the database before its end. */
  iterate(...values: Arguments<Bound>): Iterable<Row>
  run(...values: Arguments<Bound>): Database.RunResult
}

/**
 * A statement that is prepared when it is first used, because a start uses few of them, and stays prepared. SQLite
 * compiles a statement anew whenever a value is bound that the planner looked at (most of those in a comparison, and every
 * limit), which takes ten times as long as running it. It looks at no parameter behind a unary plus, which does nothing
 * else; the plans here do not depend on values.
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
