// Implements the port for Program hosts: most Executions share one host, slow ones get their own, and new code is
// checked in another. A host may end at any time; this costs only speed.

import type { Logger } from 'pino'
import { within } from '../shared/within.ts'
import { createAloneLane } from './alone-lane.ts'
import { createCheckLane } from './check-lane.ts'
import { createBusyOwners } from './busy-owners.ts'
import type { HostRole } from './turn-watches.ts'
import { createHostLink, type HostLink, type HostRules } from './host-link.ts'
import type { Lane, LaneParts } from './lane.ts'
import { DEFAULT_POOL_LIMITS, type PoolLimits } from './pool-limits.ts'
import {
  hasEnded,
  type ActivationResult,
  type LoadProgram,
  type ProgramHosts,
  type ProgramHostStatus,
} from './program-hosts.ts'
import { readUsage as readProcessUsage } from './read-usage.ts'
import { createSharedLane } from './shared-lane.ts'
import { createSlowPrograms } from './slow-programs.ts'
import { spawnHost as spawnNodeHost, type SpawnHost } from './spawn-host.ts'
import { TICK_MS } from './stall-clock.ts'
import { createTask } from './task.ts'

export type ProgramHostsOptions = {
  readonly loadProgram: LoadProgram
  readonly log: Logger
  /** Starts a host; by default as a Node child process. */
  readonly spawnHost?: SpawnHost
  readonly limits?: Partial<PoolLimits>
  /** Of a host's process; by default as the system tells. */
  readonly readUsage?: typeof readProcessUsage
}

export type WarmableProgramHosts = ProgramHosts & {
  status(): readonly ProgramHostStatus[]
  /** Starts the shared host before the first Execution needs it. */
  warm(): void
  /** Sends the scheduled batch to the shared host at once, because the caller is about to block the event loop. */
  sendNow(): void
}

const STOP_WITHIN_MS = 2000
/** A host that neither answers nor uses CPU for this long is replaced. */
const MOTIONLESS_MS = 60_000

export const createProgramHosts = (options: ProgramHostsOptions): WarmableProgramHosts => {
  const { loadProgram, log, spawnHost = spawnNodeHost, readUsage = readProcessUsage } = options
  const limits: PoolLimits = { ...DEFAULT_POOL_LIMITS, ...options.limits }
  const slowPrograms = createSlowPrograms()
  const busyOwners = createBusyOwners()
  const rules: Readonly<Record<HostRole, HostRules>> = {
    shared: {
      separatesReplay: false,
      isAnnounced: (task) => task.mayHaveSilencedHost || !slowPrograms.isProven(task.activation.versionId),
    },
    alone: { separatesReplay: true, isAnnounced: () => false },
  }
  const running = new Set<Promise<void>>()
  const links = new Map<HostLink, HostRole>()
  const startHost: LaneParts['startHost'] = (role, events) => {
    startWatching()
    const process = spawnHost(role, limits.budgets)
    const ended = new Promise<void>((resolve) => process.onExit(() => resolve()))
    running.add(ended)
    void ended.then(() => running.delete(ended))
    const link = createHostLink(process, loadProgram, events, rules[role])
    links.set(link, role)
    process.onExit(() => links.delete(link))
    return link
  }
  const parts = { startHost, limits, slowPrograms, log }
  const sharedParts = { ...parts, busyOwners }
  const alone = createAloneLane(parts)
  const busy = createSharedLane(sharedParts, { alone: alone.submit })
  const shared = createSharedLane(sharedParts, { alone: alone.submit, busy: busy.submit })
  const checks = createCheckLane(parts)
  const lanes: readonly Lane[] = [shared, busy, alone, checks]

  let watch: NodeJS.Timeout | undefined
  let tickedAt = 0
  const tick = (): void => {
    const elapsedMs = performance.now() - tickedAt
    tickedAt = performance.now()
    for (const lane of lanes) {
      lane.tick(elapsedMs)
      for (const { link, stallLimitMs, leastShare, rssLimitBytes } of lane.watched()) {
        const usage = readUsage(link.process.pid)
        link.stall.tick(elapsedMs, usage?.cpuMs, leastShare)
        if (link.stall.stalledMs >= stallLimitMs) link.end(link.isReady ? 'over_bound' : 'never_ready')
        else if (link.stall.motionlessMs >= MOTIONLESS_MS) link.end(link.isReady ? 'motionless' : 'never_ready')
        else if (usage !== undefined && usage.rssBytes > rssLimitBytes) link.end('memory')
      }
    }
    if (!lanes.some((lane) => lane.needsTicks)) stopWatching()
  }
  /** Ticks only while there is something to watch, so that an idle runtime does not wake up. */
  const startWatching = (): void => {
    if (watch !== undefined) return
    tickedAt = performance.now()
    watch = setInterval(tick, TICK_MS)
  }
  const stopWatching = (): void => {
    clearInterval(watch)
    watch = undefined
  }

  const noteGone = (executionId: string): void => {
    slowPrograms.forget(executionId)
    busyOwners.forget(executionId)
  }

  let forgotten = new Set<string>()
  const tellForgotten = (): void => {
    const executionIds = [...forgotten]
    forgotten = new Set()
    for (const lane of lanes) lane.forget(executionIds)
  }

  let isStopped = false
  let stopping: Promise<void> | undefined
  const stopAll = async (): Promise<void> => {
    isStopped = true
    for (const lane of lanes) lane.stop()
    await within(STOP_WITHIN_MS, Promise.all(running))
    stopWatching()
  }

  return {
    activate: (activation, onAlone = () => {}) =>
      new Promise<ActivationResult>((resolve, reject) => {
        if (isStopped) return reject(new Error('The program hosts are stopped'))
        startWatching()
        const { executionId, turnsDone } = activation
        const settle = (result: ActivationResult): void => {
          if (hasEnded(result)) noteGone(executionId)
          resolve(result)
        }
        const task = createTask(activation, settle, reject, onAlone)
        // The next part of a long replay continues from the image of the one before.
        const continues = turnsDone > 0 && alone.ranLast(executionId)
        if (continues || slowPrograms.runsAlone(activation, turnsDone === 0)) alone.submit(task)
        else if (busyOwners.runsApart(activation, turnsDone === 0)) busy.submit(task)
        else shared.submit(task)
      }),
    check: checks.check,
    forget: (executionId) => {
      noteGone(executionId)
      if (forgotten.size === 0) setImmediate(tellForgotten)
      forgotten.add(executionId)
    },
    stop: () => (stopping ??= stopAll()),
    warm: shared.warm,
    sendNow: shared.sendNow,
    status: () =>
      [...links].map(([{ process, isReady, flights }, role]) => ({
        role,
        pid: process.pid,
        isReady,
        underWay: flights.size,
      })),
  }
}
