// The dependencies of the operations. Each operation names those that it needs.

import type { ChangeReaders } from './change-readers.ts'
import type { ChangesFeed } from './create-changes-feed.ts'
import type { EffectHostStatus } from '../effects/supervise-host.ts'
import type { Ids } from '../shared/ids.ts'
import type { ProgramHosts, ProgramHostStatus } from '../sandbox/program-hosts.ts'
import type { SourceStatus } from '../source/source.ts'
import type { Store } from '../store/store.ts'
import type { Worker } from '../worker/worker.ts'
import type { Bulks } from './bulks.ts'
import type { ProgramSchemas } from './program-schemas.ts'
import type { ReuseCostly } from './reuse-costly.ts'

export type OperationPorts = {
  readonly store: Store
  readonly worker: Worker
  readonly hosts: Pick<ProgramHosts, 'check'>
  readonly ids: Ids
  /** ms since the epoch */
  readonly now: () => number
  readonly changes: ChangesFeed
  readonly readers: ChangeReaders
  readonly schemas: ProgramSchemas
  readonly inspect: Inspect
  readonly bulks: Bulks
  readonly reuse: ReuseCostly
}

/** Information about the runtime itself. */
export type Inspect = {
  readonly dataDir: string
  readonly startedBy?: { readonly cli: string; readonly start: string } | undefined
  source(): SourceStatus
  programHosts(): readonly ProgramHostStatus[]
  effectHosts(): readonly EffectHostStatus[]
  /** Of a process; `undefined` where the system does not tell. */
  rssBytes(pid: number): number | undefined
  eventLoopDelayP99Ms(): Promise<number>
}
