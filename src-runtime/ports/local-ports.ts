// What the operations that only a local runtime serves depend on.

import type { EffectHostStatus } from '../effects/supervise-host.ts'
import type { ProgramHostStatus } from '../sandbox/program-hosts.ts'
import type { SourceStatus } from '../source/source.ts'
import type { OperationPorts } from './operation-ports.ts'

export type LocalPorts = OperationPorts & { readonly inspect: Inspect }

/** Information about the runtime itself. */
export type Inspect = {
  readonly dataDir: string
  /** Bytes on disk of its database files. */
  dataBytes(): number
  diskIsFull(): boolean
  readonly startedBy?: { readonly cli: string; readonly start: string } | undefined
  source(): SourceStatus
  programHosts(): readonly ProgramHostStatus[]
  effectHosts(): readonly EffectHostStatus[]
  /** Of a process; `undefined` where the system does not tell. */
  rssBytes(pid: number): number | undefined
  eventLoopDelayP99Ms(): Promise<number>
}
