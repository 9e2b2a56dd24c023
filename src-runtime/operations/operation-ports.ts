// What the operations are given. Each names the few that it needs.

import type { ChangesFeed } from '../create-changes-feed.ts'
import type { Ids } from '../ids.ts'
import type { ProgramHosts } from '../sandbox/program-hosts.ts'
import type { Store } from '../store/store.ts'
import type { Worker } from '../worker/worker.ts'
import type { ProgramSchemas } from './program-schemas.ts'

export type OperationPorts = {
  readonly store: Store
  readonly worker: Worker
  readonly hosts: Pick<ProgramHosts, 'check'>
  readonly ids: Ids
  /** ms since the epoch */
  readonly now: () => number
  readonly changes: ChangesFeed
  readonly schemas: ProgramSchemas
}
