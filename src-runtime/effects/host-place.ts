// Where effect hosts run, and what they get there.

export type HostPlace = {
  /** In messages. */
  readonly name: string
  /** The working directory of the hosts. */
  readonly folder: string
  /** What to do when a host has run out of memory; stands behind the limit in the message. */
  readonly memoryAdvice: string
  /** Changes when hosts should be replaced. `undefined`: the folder does not exist. */
  fingerprint(): string | undefined
  /** All of a new host's environment. Throws when it cannot be read. */
  environment(): Readonly<Record<string, string>>
}
