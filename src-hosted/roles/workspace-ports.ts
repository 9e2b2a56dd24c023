// What operations of each workspace depend on, for callers, webhooks, schedules and bulks alike.

import { createProgramSchemas } from '../../src-runtime/operations/program-schemas.ts'
import { createReuseCostly } from '../../src-runtime/operations/reuse-costly.ts'
import { createSchemaThreads } from '../../src-runtime/operations/schema-threads.ts'
import { systemClock } from '../../src-runtime/shared/clock.ts'
import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'
import type { Changes } from '../../src-runtime/ports/changes.ts'
import type { OperationPorts } from '../../src-runtime/ports/operation-ports.ts'
import type { ProgramHosts } from '../../src-runtime/sandbox/program-hosts.ts'
import type { Dispatcher } from '../dispatch/dispatcher.ts'
import { createCheckEffects } from '../effects/check-effects.ts'
import { createDeployChecks } from '../limits/deploy-checks.ts'
import { createQuota, withQuota } from '../limits/quota.ts'
import type { TenantStore } from '../store/tenancy.ts'
import { createHostedWorker } from '../visits/hosted-worker.ts'
import type { RunAhead } from '../visits/run-ahead.ts'
import type { StartPlaces } from '../visits/start-places.ts'
import type { Base } from './base.ts'

export type WorkspacePorts = OperationPorts & { readonly tenant: TenantStore }

export type WorkspacePortsOf = (owner: {
  readonly workspaceId: string
  readonly defaultProjectId: string
}) => WorkspacePorts

const MOST_KEPT = 10_000

export const createWorkspacePorts = (
  {
    store,
    limits,
    ids,
    log,
    onCommitted,
    onStop,
  }: Pick<Base, 'store' | 'limits' | 'ids' | 'log' | 'onCommitted' | 'onStop'>,
  options: {
    readonly hosts: Pick<ProgramHosts, 'check'>
    /** Asks for visits of what is stored here. */
    readonly visitors: Pick<Dispatcher, 'poke'>
    /** Runs first turns in this process; absent: workers run them. */
    readonly runAhead?: RunAhead
    readonly startPlaces: Pick<StartPlaces, 'take'>
    readonly changesOf: (workspaceId: string) => Changes
  },
): WorkspacePortsOf => {
  const { hosts, visitors, runAhead, startPlaces, changesOf } = options
  const { now } = store
  const threads = createSchemaThreads()
  onStop(threads.stop)
  const schemasOf = createProgramSchemas(threads)
  const reuse = createReuseCostly()
  const quota = createQuota(store.usage, limits, systemClock.monotonic)
  const stopped = new AbortController()
  onStop(() => stopped.abort())
  const checkDeploy = createDeployChecks(log, stopped.signal)
  const checkEffects = createCheckEffects(stopped.signal)
  const kept = new Map<string, WorkspacePorts>()

  return ({ workspaceId, defaultProjectId }) => {
    const known = kept.get(workspaceId)
    if (known !== undefined) return known
    const workspace = store.forWorkspace(workspaceId)
    const worker = createHostedWorker({
      workspaceId,
      accept: store.acceptFor(workspaceId, { loadsWoken: runAhead?.keepWoken !== undefined }),
      startPlaces,
      dispatcher: visitors,
      ...(runAhead !== undefined && { runAhead }),
      now,
      log,
      onCommitted,
    })
    const ports: WorkspacePorts = {
      defaultProjectId,
      runsUploadedEffects: true,
      store: workspace,
      worker,
      hosts: { check: (source) => checkDeploy(workspaceId, () => hosts.check(source, workspaceId)) },
      checkEffects: (source) => checkDeploy(workspaceId, () => checkEffects(workspaceId, source)),
      ids,
      now,
      changes: changesOf(workspaceId),
      schemas: schemasOf(workspaceId),
      bulks: workspace.bulks,
      reuse: (question, compute) => reuse([workspaceId, question], compute),
      tenant: workspace.tenant,
    }
    const bounded = withQuota(ports, quota, workspaceId)
    kept.set(workspaceId, bounded)
    forgetOldest(kept, MOST_KEPT)
    return bounded
  }
}
