// The ports of a local runtime: one workspace, one store, and everything in this process.

import type { Ids } from '../shared/ids.ts'
import type { ProgramHosts } from '../sandbox/program-hosts.ts'
import type { Inspect, LocalPorts } from '../ports/local-ports.ts'
import type { Worker } from '../ports/worker.ts'
import type { Store } from '../store/store.ts'
import { createBulkRuns } from './bulks.ts'
import type { ChangesFeed } from './create-changes-feed.ts'
import { createLocalBulks } from './local-bulks.ts'
import { createLocalChanges } from './local-changes.ts'
import { createProgramSchemas } from './program-schemas.ts'
import { createReuseCostly } from './reuse-costly.ts'
import { createSchemaThreads } from './schema-threads.ts'

export const DEFAULT_PROJECT_ID = 'default'

type Parts = {
  readonly store: Store
  readonly worker: Worker
  readonly hosts: Pick<ProgramHosts, 'check'>
  readonly ids: Ids
  readonly now: () => number
  readonly feed: ChangesFeed
  readonly inspect: Omit<Inspect, 'dataBytes' | 'diskIsFull'>
  readonly sourceRead: () => Promise<boolean>
  /** Of a step of a bulk, when something is wrong with more than the request. */
  readonly onBulkError: (error: unknown) => void
}

export type OpenedLocalPorts = {
  readonly ports: LocalPorts
  /** Ends streams and held answers, and stops bulks. */
  close(): Promise<void>
}

export const openLocalPorts = ({
  store,
  worker,
  hosts,
  ids,
  now,
  feed,
  inspect,
  sourceRead,
  onBulkError,
}: Parts): OpenedLocalPorts => {
  const runs = createBulkRuns(onBulkError)
  const threads = createSchemaThreads()
  const acting = {
    defaultProjectId: DEFAULT_PROJECT_ID,
    runsUploadedEffects: false,
    store,
    worker,
    ids,
    now,
    schemas: createProgramSchemas(threads)('local'),
    sourceRead,
  }
  const ports: LocalPorts = {
    ...acting,
    hosts,
    changes: createLocalChanges(feed),
    bulks: createLocalBulks(runs, acting, store.overview.keys),
    reuse: createReuseCostly(),
    inspect: { ...inspect, dataBytes: store.sizeBytes, diskIsFull: store.diskIsFull },
  }
  return {
    ports,
    close: async () => {
      feed.close()
      await runs.close()
      await threads.stop()
    },
  }
}
