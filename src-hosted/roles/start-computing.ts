// The Program hosts of a process, and what they run: first turns of starts, and where it is a worker, visits and effects.

import { randomUUID } from 'node:crypto'
import type { EffectPerformer } from '../../src-runtime/effects/effect-performer.ts'
import { manifestOptions } from '../../src-runtime/operations/manifest-options.ts'
import { createProgramHosts, type WarmableProgramHosts } from '../../src-runtime/sandbox/create-program-hosts.ts'
import { spawnAhead } from '../../src-runtime/sandbox/spawn-ahead.ts'
import { spawnHost, type SpawnHost } from '../../src-runtime/sandbox/spawn-host.ts'
import { systemClock } from '../../src-runtime/shared/clock.ts'
import type { Dispatcher, Work } from '../dispatch/dispatcher.ts'
import { createHostedWork, type HostedWork } from '../visits/create-hosted-work.ts'
import { measureEffects } from '../metrics/measure.ts'
import { traceEffects, traceHosts } from '../tracing/trace-parts.ts'
import { readInTurn } from '../visits/read-in-turn.ts'
import { createStartPlaces, type StartPlaces } from '../visits/start-places.ts'
import { createVersionCache } from '../visits/version-cache.ts'
import { createVisitHere, visitsHereFirst, type VisitHere } from '../visits/visits-here.ts'
import type { Base } from './base.ts'
import { watchWork } from './watch-work.ts'

export type Computing = Omit<HostedWork, 'visitHere'> & {
  readonly hosts: WarmableProgramHosts
  readonly visitHere: VisitHere
  readonly startPlaces: StartPlaces
  /** Asks for visits of what this process has stored. */
  readonly visitors: Pick<Dispatcher, 'poke'>
}

const CANCEL_GRACE_MS = 30_000
/** Of 16 connections for what runs Executions. */
const READS_AT_ONCE = 12

/** Starts the first Program host before there is anything that it could run. */
export const spawnHostAhead = (onStop: Base['onStop']): SpawnHost => {
  const ahead = spawnAhead(spawnHost)
  onStop(ahead.giveUp)
  return ahead.spawnHost
}

export const startComputing = (
  base: Base,
  options: {
    readonly spawnHost: SpawnHost
    readonly effects: Pick<EffectPerformer, 'perform'>
    /** Whether Restate sends visits and effects to this process. */
    readonly isWorker: boolean
    /** Whether it is the only process of the service. */
    readonly isAlone: boolean
    readonly cancelGraceMs?: number | undefined
  },
): Computing => {
  const { store, dispatcher, limits, log, metrics, tracing, onCommitted, onStop } = base
  const { effects, spawnHost: spawn, isWorker, isAlone, cancelGraceMs = CANCEL_GRACE_MS } = options
  const measured = measureEffects(effects, metrics)
  const versions = createVersionCache(store.engine, manifestOptions)
  const hosts = createProgramHosts({ loadProgram: versions.loadProgram, spawnHost: spawn, log })
  onStop(hosts.stop)
  hosts.warm()
  const name = randomUUID()
  const work = createHostedWork({
    store: { ...store, engine: readInTurn(store.engine, READS_AT_ONCE) },
    dispatcher,
    versions,
    hosts: tracing === undefined ? hosts : traceHosts(hosts, tracing),
    effects: tracing === undefined ? measured : traceEffects(measured, tracing),
    clock: systemClock,
    log,
    name,
    cancelGraceMs,
    turnsAtOnce: (workspaceId) => limits(workspaceId).turnsAtOnce,
    hasVisits: isWorker,
    isAlone,
    onCommitted,
  })
  const visitHere = createVisitHere(watchedVisit(base, work), name, store.now)
  return {
    ...work,
    hosts,
    visitHere,
    startPlaces: createStartPlaces(systemClock.monotonic),
    visitors: isWorker && isAlone ? visitsHereFirst(visitHere, dispatcher) : dispatcher,
  }
}

const watchedVisit = (base: Base, { work, visitHere }: HostedWork): Work['visit'] => {
  const { visit } = watchWork({ ...work, visit: visitHere }, base)
  return (executionId, id, why) => visit(executionId, id, why, base.tracing?.traceparent())
}
