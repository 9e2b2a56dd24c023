// Shared by the lanes of Program hosts.

import type { Logger } from 'pino'
import type { HostRole } from './turn-watches.ts'
import type { HostEnd, HostLink, LinkEvents } from './host-link.ts'
import type { PoolLimits } from './pool-limits.ts'
import type { ActivationResult } from './program-hosts.ts'
import type { SlowPrograms } from './slow-programs.ts'
import type { Task } from './task.ts'
import { CRASH_TURN, OUT_OF_MEMORY_TURN, TIMEOUT_TURN } from './turn-failure.ts'
import { readTurn } from './turn-text.ts'

export type LaneParts = {
  readonly startHost: (role: HostRole, events: LinkEvents) => HostLink
  readonly limits: PoolLimits
  readonly slowPrograms: SlowPrograms
  readonly log: Logger
}

export type Lane = {
  /** Hosts that have work, and how long each may be silent. */
  watched(): readonly Watched[]
  forget(executionIds: readonly string[]): void
  tick(elapsedMs: number): void
  /** Whether anything here depends on time passing. */
  readonly needsTicks: boolean
  stop(): void
}

export type Watched = {
  readonly link: HostLink
  /** How long it may be silent, as `StallClock` counts. */
  readonly stallLimitMs: number
  /** The share of the elapsed time that counts even if the host uses no CPU. */
  readonly leastShare: number
  readonly rssLimitBytes: number
}

export const START_WITHIN_MS = 15_000

/** Of a host that others do not share. `stallLimitMs`: once it has started. */
export const watchAlone = (link: HostLink, stallLimitMs: number, { aloneRssBytes }: PoolLimits): Watched => ({
  link,
  stallLimitMs: link.isReady ? stallLimitMs : START_WITHIN_MS,
  leastShare: link.isReady ? 0 : 0.2,
  rssLimitBytes: aloneRssBytes,
})

const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 5000

/** How long to wait before starting a host again. */
export const retryDelayMs = (failures: number): number =>
  Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10))

export const describeEnd: Readonly<Record<HostEnd, string>> = {
  over_bound: 'A program host was stopped: a turn used up its CPU',
  silent: 'A program host was replaced: it did not answer in time',
  motionless: 'A program host was stopped: it neither answered nor computed',
  memory: 'A program host was stopped: it used too much memory',
  crashed: 'A program host ended unexpectedly',
  killed: 'A program host was killed from outside, which may be because memory is short',
  never_ready: 'A program host did not start',
  stopped: 'A program host was stopped',
}

export const rejectStopped = (tasks: readonly Task[]): void => {
  for (const task of tasks) task.reject(new Error('The program hosts are stopped'))
}

/** Whatever it ran is not to blame. */
export const isOfSystem = (end: HostEnd): boolean => end === 'motionless' || end === 'killed'

/** The failure of an Execution whose live turn ended its host, where it had computed for so long. */
export const failedByKill = (end: HostEnd, computeMs: number): ActivationResult => {
  const turn = end === 'memory' ? OUT_OF_MEMORY_TURN : end === 'over_bound' ? TIMEOUT_TURN : CRASH_TURN
  return { kind: 'ran', turns: [readTurn(turn)], computeMs }
}
