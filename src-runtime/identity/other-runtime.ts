/** What another local runtime says about itself; null: it does not, as one that requires a token. */
export type OtherRuntime = {
  readonly version: string | null
  readonly pid: number | null
  readonly dataDirectory: string | null
  readonly projectFolder: string | null
}
