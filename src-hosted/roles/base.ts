// What every process of the service has, whichever parts it runs.

import type { Logger } from 'pino'
import type { Ids } from '../../src-runtime/shared/ids.ts'
import type { Stop } from '../../src-runtime/shared/stop-all.ts'
import type { Following } from '../changes/start-following.ts'
import type { HoldingDispatcher } from '../dispatch/hold-while-away.ts'
import type { SecretKeys } from '../environment/secret-keys.ts'
import type { LimitsOf } from '../limits/limits.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { HostedStore } from '../store/store.ts'
import type { Tracing } from '../tracing/tracing.ts'

export type Base = {
  readonly store: HostedStore
  readonly dispatcher: HoldingDispatcher
  readonly secrets: SecretKeys
  readonly limits: LimitsOf
  readonly ids: Ids
  readonly log: Logger
  readonly metrics: Metrics
  /** Absent: nothing is traced. */
  readonly tracing: Tracing | undefined
  /** Tells other processes, and this one, that an Execution changed. */
  readonly onCommitted: Following['onCommitted']
  /** What must be stopped when the service stops: the last one first. */
  readonly onStop: (stop: Stop) => void
}
