// The first line that an isolated host reads: what it needs before any effect may run.

export type StartMessage = {
  /** All of `process.env`. */
  readonly environment: Readonly<Record<string, string>>
  /** The Unix socket of the egress proxy. */
  readonly egress: string
}
