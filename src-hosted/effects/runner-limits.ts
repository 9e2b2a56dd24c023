// How much the effects of a worker may use. Durations in ms.

import { totalmem } from 'node:os'
import { DEFAULT_EFFECT_HOST_LIMITS, type EffectHostLimits } from '../../src-runtime/effects/effect-host-limits.ts'

export type RunnerLimits = EffectHostLimits & {
  /** Processes of the worker, and of one workspace in it. */
  readonly hosts: number
  readonly hostsPerWorkspace: number
  /** How long attempts under way may take to end when the worker stops. */
  readonly drainMs: number
  /** A changed environment reaches attempts that begin this much later. */
  readonly environmentMs: number
  /** An attempt whose version or environment cannot be read tries again after this long. */
  readonly readAgainMs: number
  /** Code of versions that is kept in memory. */
  readonly codeBytes: number
}

const MEMORY_MB = 512
/** Of this machine, or of the container that this is: 0 when there is no such limit. */
const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity)
const hosts = Math.max(4, Math.min(64, Math.floor(memoryBytes / (MEMORY_MB * 1_024 * 1_024))))

export const DEFAULT_RUNNER_LIMITS: RunnerLimits = {
  ...DEFAULT_EFFECT_HOST_LIMITS,
  soloHosts: 2,
  heapMb: 256,
  memoryMb: MEMORY_MB,
  idleMs: 30_000,
  hosts,
  hostsPerWorkspace: Math.max(2, Math.floor(hosts / 4)),
  drainMs: 10_000,
  environmentMs: 2_500,
  readAgainMs: 1_000,
  codeBytes: 64 * 1_024 * 1_024,
}
