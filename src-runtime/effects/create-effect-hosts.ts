// Performs effects: each attempt in a child process of the project that the effect belongs to.

import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { createAttempt, type Attempt } from './attempt.ts'
import { createBundleIndex, type IndexedBundle } from './bundle-index.ts'
import type { LoadEffects } from './effect-bundle.ts'
import { DEFAULT_EFFECT_HOST_LIMITS, type EffectHostLimits } from './effect-host-limits.ts'
import { noEffects, type EffectCall, type EffectOutcome, type EffectPerformer } from './effect-performer.ts'
import { cancelled, effectsNotRead, noSuchEffect } from './failures.ts'
import { folderPlace } from './host-environment.ts'
import { createHostGroup, type HostGroup } from './host-group.ts'
import { forkEffectHost, type SpawnEffectHost } from './spawn-effect-host.ts'
import type { EffectHostStatus } from './supervise-host.ts'
import { createTrustGate } from './trust-gate.ts'

export type EffectHosts = EffectPerformer & {
  status(): readonly EffectHostStatus[]
  /**
   * Aborts running attempts, and waits for them a second at most. An attempt that does not complete has no outcome: the
   * next runtime performs it again, with the same number.
   */
  stop(): Promise<void>
}

export const createEffectHosts = (deps: {
  readonly loadEffects: LoadEffects
  /** The runtime's own address. */
  readonly runtimeUrl: () => string
  readonly log: Logger
  readonly spawnEffectHost?: SpawnEffectHost
  /** Whether the code of a folder may run now; default: always. */
  readonly isTrusted?: (folder: string) => boolean
  readonly limits?: Partial<EffectHostLimits>
  /** ms on a monotonic clock. */
  readonly now?: () => number
  readonly environment?: Readonly<Record<string, string | undefined>>
}): EffectHosts => {
  const {
    loadEffects,
    runtimeUrl,
    log,
    spawnEffectHost: spawn = forkEffectHost,
    now = () => performance.now(),
    environment = process.env,
  } = deps
  const limits = { ...DEFAULT_EFFECT_HOST_LIMITS, ...deps.limits }
  const bundleOf = createBundleIndex(loadEffects, now)
  const folders = new Map<string, HostGroup>()
  let stopping = false
  let stopped: Promise<void> | undefined

  const hostsOf = (folder: string): HostGroup => {
    const known = folders.get(folder)
    if (known !== undefined) return known
    const place = folderPlace(folder, environment, runtimeUrl)
    const hosts = createHostGroup(place, { spawn, limits, log: log.child({ folder }), now })
    folders.set(folder, hosts)
    return hosts
  }

  const gate =
    deps.isTrusted &&
    createTrustGate({
      isTrusted: deps.isTrusted,
      hasProcesses: (folder) => (folders.get(folder)?.status().length ?? 0) > 0,
      onDistrusted: (folder) => {
        void folders.get(folder)?.stop()
        folders.delete(folder)
      },
      log,
    })

  const perform = (call: EffectCall, bundle: IndexedBundle): Promise<EffectOutcome> =>
    new Promise((resolve) => {
      const hosts = hostsOf(bundle.folder)
      const onAbort = () => hosts.cancel(attempt)
      const attempt: Attempt = createAttempt(call, bundle, (outcome) => {
        call.signal.removeEventListener('abort', onAbort)
        if (!stopping || outcome.kind === 'completed') resolve(outcome)
      })
      call.signal.addEventListener('abort', onAbort, { once: true })
      hosts.perform(attempt)
    })

  return {
    defaultsOf: (versionId, name) => bundleOf(versionId)?.optionsByName.get(name) ?? {},
    perform: (call) => {
      if (call.signal.aborted) return Promise.resolve(cancelled(call.name))
      if (stopping) return new Promise(() => undefined)
      let bundle: IndexedBundle | undefined
      try {
        bundle = bundleOf(call.versionId)
      } catch (error) {
        return Promise.resolve(effectsNotRead(call.name, error))
      }
      if (bundle === undefined) return noEffects.perform(call)
      if (!bundle.optionsByName.has(call.name)) {
        return Promise.resolve(noSuchEffect(call.name, call.programId, bundle.optionsByName.keys()))
      }
      const { folder } = bundle
      const run = (allowed: EffectCall) => perform(allowed, bundle)
      return gate === undefined ? run(call) : gate.whileTrusted(folder, call, run)
    },
    status: () => [...folders.values()].flatMap((hosts) => hosts.status()),
    stop: () => {
      stopping = true
      gate?.stop()
      stopped ??= Promise.all([...folders.values()].map((hosts) => hosts.stop())).then(() => undefined)
      return stopped
    },
  }
}
