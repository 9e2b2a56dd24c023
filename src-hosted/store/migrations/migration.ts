export type Migration = {
  /** 1, 2, 3 … What was released is never edited. */
  readonly version: number
  readonly sql: string
  /**
   * Releases that know only older versions refuse the schema from this migration on. Absent: they go on, which is
   * necessary while processes are replaced one by one.
   */
  readonly breaks?: true
}
