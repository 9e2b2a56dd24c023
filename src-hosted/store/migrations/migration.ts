export type Migration = {
  /** 1, 2, 3 … What was released is never edited. */
  readonly version: number
  readonly sql: string
  /**
   * Releases that know only older versions stop working with the schema as it is from here on. Absent: they go on, as
   * they must while processes are replaced one by one.
   */
  readonly breaks?: true
}
