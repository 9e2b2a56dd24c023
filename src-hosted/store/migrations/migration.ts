export type Migration = {
  /** 1, 2, 3 … What was released is never edited. */
  readonly version: number
  /**
   * Indexes of large tables, by name: what `CREATE INDEX CONCURRENTLY` needs after the name. They are made first, one after another, while
   * others write to their tables. `sql` gives them the names that they keep: what has another name was left by a try that failed.
   */
  readonly indexes?: Readonly<Record<string, string>>
  /**
   * Many rows that are made from those of large tables, while others write to these: at first `begin`, one transaction, which also removes
   * what a try that failed has left. Then `next`, a statement with a transaction of its own, again and again until its `next` is NULL; its
   * parameter is the one before, and 0 at first. `sql` comes after it.
   */
  readonly fill?: { readonly begin: string; readonly next: string }
  /** One transaction. */
  readonly sql: string
  /**
   * Releases that know only older versions refuse the schema from this migration on. Absent: they go on, which is
   * necessary while processes are replaced one by one.
   */
  readonly breaks?: true
}
