// The Program hosts of a process, and what they run: first turns of starts, and where it is a worker, visits and effects.

import { randomUUID } from 'node:crypto'
import type { EffectPerformer } from '../../src-runtime/effects/effect-performer.ts'
import { manifestOptions } from '../../src-runtime/operations/manifest-options.ts'
import { createProgramHosts, type WarmableProgramHosts } from '../../src-runtime/sandbox/create-program-hosts.ts'
import { systemClock } from '../../src-runtime/shared/clock.ts'
import { createHostedWork, type HostedWork } from '../visits/create-hosted-work.ts'
import { measureEffects } from '../metrics/measure.ts'
import { traceEffects, traceHosts } from '../tracing/trace-parts.ts'
import type { Base } from './base.ts'

export type Computing = HostedWork & { readonly hosts: WarmableProgramHosts }

const CANCEL_GRACE_MS = 30_000

export const startComputing = (
  { store, dispatcher, limits, log, metrics, tracing, onCommitted, onStop }: Base,
  options: {
    readonly effects: Pick<EffectPerformer, 'perform'>
    /** Whether Restate sends visits and effects to this process. */
    readonly isWorker: boolean
    /** Whether it is the only process of the service. */
    readonly isAlone: boolean
    readonly cancelGraceMs?: number | undefined
  },
): Computing => {
  const { effects, isWorker, isAlone, cancelGraceMs = CANCEL_GRACE_MS } = options
  const measured = measureEffects(effects, metrics)
  let made: WarmableProgramHosts | undefined
  const work = createHostedWork({
    store,
    dispatcher,
    hosts: (loadProgram) => {
      made = createProgramHosts({ loadProgram, log })
      return tracing === undefined ? made : traceHosts(made, tracing)
    },
    effects: tracing === undefined ? measured : traceEffects(measured, tracing),
    manifestOptions,
    clock: systemClock,
    log,
    name: randomUUID(),
    cancelGraceMs,
    turnsAtOnce: (workspaceId) => limits(workspaceId).turnsAtOnce,
    hasVisits: isWorker,
    runsEffects: true,
    isAlone,
    onCommitted,
  })
  const hosts = made!
  onStop(hosts.stop)
  hosts.warm()
  return { ...work, hosts }
}
