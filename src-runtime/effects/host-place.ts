// Where effect hosts run, and what they get there.

import type { Stamp } from '../shared/stat-of.ts'

export type HostPlace = {
  /** In messages. */
  readonly name: string
  /** The working directory of the hosts. */
  readonly folder: string
  /** What to do when a host has run out of memory; stands behind the limit in the message. */
  readonly memoryAdvice: string
  /** Changes when hosts should be replaced. `undefined`: the folder does not exist. */
  fingerprint(): string | undefined
  /** Changes when a file changes. Where it is left out, hosts stay although modules that they have read were changed. */
  stampOf?(file: string): Stamp
  /** All of a new host's environment. Throws when it cannot be read. */
  environment(): Readonly<Record<string, string>>
}
