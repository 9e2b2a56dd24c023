// Runs effects in isolated processes of this machine: one for each workspace, project and version, more of a version only
// where an attempt must run alone.

import { chmodSync, chownSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { createAttempt, type Attempt } from '../../src-runtime/effects/attempt.ts'
import { noEffects, type EffectCall, type EffectOutcome } from '../../src-runtime/effects/effect-performer.ts'
import { cancelled, effectsNotRead, noSuchEffect } from '../../src-runtime/effects/failures.ts'
import { logLimits } from '../../src-runtime/effects/effect-host-limits.ts'
import { createHostGroup, type HostGroup } from '../../src-runtime/effects/host-group.ts'
import { unlessAborted, untilAborted } from '../../src-runtime/shared/fair-places.ts'
import { createFaultLevels } from '../../src-runtime/shared/fault-levels.ts'
import { pause } from '../../src-runtime/shared/pause.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { within } from '../../src-runtime/shared/within.ts'
import type { WayOutOwner } from '../egress/egress-messages.ts'
import { createBeginNotes, type BeginNotes } from './begin-notes.ts'
import { boundLog, checkOutcome } from './check-outcome.ts'
import { createEffectPlaces } from './effect-places.ts'
import type { EffectRunner, EnvironmentOf, LoadVersion } from './effect-runner.ts'
import { createHostSlots } from './host-slots.ts'
import type { Isolation } from './isolation/find-isolation.ts'
import { createBudget, type Budget } from './isolation/read-lines.ts'
import { isolatedSpawn, type fences } from './isolation/spawn-isolated-host.ts'
import {
  createProjectEnvironments,
  type ProjectEnvironment,
  UnreadableEnvironmentError,
} from './project-environments.ts'
import { DEFAULT_RUNNER_LIMITS, type RunnerLimits } from './runner-limits.ts'
import { createVersionCache, type KnownVersion } from './version-cache.ts'

/** What the runner needs of the egress process. */
export type WayOut = {
  open(path: string, owner: WayOutOwner): Promise<void>
  close(path: string): Promise<void>
}

export type EffectRunnerOptions = {
  readonly loadVersion: LoadVersion
  readonly environmentOf: EnvironmentOf
  readonly isolation: Isolation
  readonly egress: WayOut
  /** For sockets. Exists; other users may pass through it. */
  readonly folder: string
  /** The user of the egress process, where the service runs as root. */
  readonly egressUser?: number
  readonly log: Logger
  /** Attempts of a workspace at once; default: unbounded. */
  readonly effectsAtOnce?: (workspaceId: string) => number
  readonly limits?: Partial<RunnerLimits>
  /** ms on a monotonic clock. */
  readonly now?: () => number
  readonly fence?: typeof fences
}

type Group = {
  readonly hosts: HostGroup
  readonly notes: BeginNotes
  readonly workspaceId: string
  readonly projectId: string
  /** All groups of the workspace share it. */
  readonly cpuMs: Budget
  readonly socket: string
  readonly folder: string
  environment: ProjectEnvironment
}

/** Groups without a process are kept for their failures; beyond this many, the oldest are forgotten. */
const MOST_GROUPS = 1_000
/** Of each 100 ms, what messages of one workspace's hosts may take. */
const MESSAGES_CPU_MS = 25
/** Inside, the one place where hosts may write. */
const WORK = '/tmp'

export const createEffectRunner = (options: EffectRunnerOptions): EffectRunner => {
  const { isolation, egress, egressUser, log, effectsAtOnce = () => Infinity, now = () => performance.now() } = options
  const limits = { ...DEFAULT_RUNNER_LIMITS, ...options.limits }
  const versions = createVersionCache(options.loadVersion, WORK, limits.codeBytes)
  const environments = createProjectEnvironments(options.environmentOf, limits.environmentMs, now)
  const places = createEffectPlaces(effectsAtOnce)
  /** Least recently used first. */
  const groups = new Map<string, Promise<Group>>()
  const open = new Map<string, Group>()
  const slots = createHostSlots(limits, {
    retireIdle: (workspaceId) => retireIdle(workspaceId),
    makeWay: (workspaceId, ms) => makeWay(workspaceId, ms),
    stayOpen: () => {
      for (const [, { hosts }] of groupsOf(undefined)) hosts.stayOpen()
    },
    now,
  })
  const levelOf = createFaultLevels()
  const underWay = new Set<Promise<unknown>>()
  let lastFolder = 0
  let draining: Promise<void> | undefined
  let isAborting = false
  const waitsBecause = isolation.kind === 'missing' ? isolation.reason : undefined
  if (waitsBecause !== undefined) log.warn(`effects wait: this machine cannot isolate them: ${waitsBecause}`)

  const groupsOf = (workspaceId: string | undefined) =>
    [...open].filter(([, group]) => workspaceId === undefined || group.workspaceId === workspaceId)

  const retireIdle = (workspaceId: string | undefined): boolean =>
    groupsOf(workspaceId).some(([, { hosts }]) => hosts.retireIdle())

  const makeWay = (workspaceId: string | undefined, ms: number): boolean => {
    const found = groupsOf(workspaceId).find(([, { hosts }]) => hosts.makeWay(ms))
    if (found === undefined) return false
    // The next time it is another one's turn.
    const [key, group] = found
    open.delete(key)
    open.set(key, group)
    return true
  }

  const makeGroup = async (key: string, versionId: string, version: KnownVersion): Promise<Group> => {
    if (isolation.kind === 'missing') throw new Error(isolation.reason)
    const { workspaceId, projectId, name } = version
    const folder = join(options.folder, `hosts-${(lastFolder += 1)}`)
    const run = join(folder, 'run')
    const work = join(folder, 'work')
    for (const each of [folder, run, work]) mkdirSync(each, { mode: 0o700 })
    if (egressUser !== undefined) {
      // Effects and the egress process are other users, who pass through without seeing names.
      for (const each of [folder, run]) chmodSync(each, 0o711)
      chownSync(run, egressUser, egressUser)
    }
    const socket = join(run, 'egress.sock')
    await egress.open(socket, { workspaceId, name: versionId }).catch((error: unknown) => {
      remove(folder)
      throw error
    })
    const cpuMs = groupsOf(workspaceId)[0]?.[1].cpuMs ?? createBudget(MESSAGES_CPU_MS)
    const { memoryMb } = limits
    const spawn = isolatedSpawn(isolation, { workspaceId, run, work, memoryMb, cpuMs }, options.fence)
    const owner = { workspaceId, retry: () => hosts.pump() }
    const place = {
      name,
      folder: isolation.kind === 'unsafe' ? work : WORK,
      memoryAdvice: `, all of its memory to ${limits.memoryMb} MB`,
      fingerprint: () => group.environment.fingerprint,
      environment: () => group.environment.variables,
    }
    const notes = createBeginNotes()
    const hosts = createHostGroup(place, {
      spawn: notes.before(spawn),
      slots: {
        take: (isOnly) => slots.take(owner, isOnly),
        giveBack: () => slots.giveBack(owner),
        offer: () => slots.offer(owner),
      },
      limits,
      log: log.child({ workspaceId, projectId, versionId }),
      isOutputPrivate: true,
      now,
    })
    const environment = { variables: {}, fingerprint: '' }
    const group: Group = { hosts, notes, workspaceId, projectId, cpuMs, socket, folder, environment }
    open.set(key, group)
    return group
  }

  /** Attempts may wait for a process for minutes, and begin with what is set by then. */
  const readForWaiting = async (group: Group): Promise<void> => {
    try {
      group.environment = await environments.current(group)
      group.hosts.pumpAnew()
    } catch {
      // It is read again, and the attempts that come next say why they wait.
    }
  }
  const reading = setInterval(() => {
    for (const group of open.values()) if (group.hosts.isWaiting) void readForWaiting(group)
  }, limits.environmentMs / 2)
  reading.unref()

  const groupOf = (versionId: string, version: KnownVersion): Promise<Group> => {
    const key = `${version.workspaceId}/${version.projectId}/${versionId}`
    const known = groups.get(key)
    const group = known ?? makeGroup(key, versionId, version)
    groups.delete(key)
    groups.set(key, group)
    group.catch(() => groups.delete(key))
    if (groups.size > MOST_GROUPS) forgetOne()
    return group
  }

  const forgetOne = (): void => {
    for (const key of groups.keys()) {
      const group = open.get(key)
      if (group === undefined || !group.hosts.isEmpty) continue
      groups.delete(key)
      open.delete(key)
      return void closeGroup(group)
    }
  }

  const closeGroup = async ({ hosts, socket, folder }: Group): Promise<void> => {
    await hosts.stop()
    await egress.close(socket)
    remove(folder)
  }

  const remove = (folder: string): void => {
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      // An effect that is not isolated may have changed the permissions of its files.
      log.warn({ err: error, folder }, 'the folder of effects that have ended could not be removed')
    }
  }

  /** A version may bring this process down while it is read, which counts. The waiting that follows does not. */
  const readVersion = async ({ versionId, noteUnderWay }: EffectCall): Promise<KnownVersion | undefined> => {
    if (noteUnderWay === undefined || versions.has(versionId)) return versions.read(versionId)
    await noteUnderWay(true)
    try {
      return await versions.read(versionId)
    } finally {
      await noteUnderWay(false)
    }
  }

  const performIn = (group: Group, version: KnownVersion, call: EffectCall): Promise<EffectOutcome> =>
    new Promise((resolve) => {
      const onAbort = (): void => group.hosts.cancel(attempt)
      const attempt: Attempt = createAttempt(
        {
          ...call,
          onBegin: () => {
            call.onBegin?.()
            group.notes.add(call.noteUnderWay?.(true))
          },
          onLog: boundLog(logLimits(limits, call.attempt), call.onLog),
        },
        version.bundle,
        (outcome) => {
          call.signal.removeEventListener('abort', onAbort)
          if (!isAborting || outcome.kind === 'completed') resolve(checkOutcome(call.name, outcome))
        },
      )
      call.signal.addEventListener('abort', onAbort, { once: true })
      group.hosts.perform(attempt)
    })

  /** Where the database is away, all parts of this process wait for it; where keys are wrong, only the operator can mend it. */
  const tellWait = (err: StoreUnavailableError, versionId: string): void => {
    if (err instanceof UnreadableEnvironmentError) {
      log[levelOf(err, 'error')]({ err, versionId }, 'effects wait: what they need cannot be read')
    } else {
      log[levelOf(err, 'warn')]({ err, versionId }, 'reading what effects need failed; it is tried again')
    }
  }

  /** An attempt fails for reasons of its own only: until its worker can read what it needs, it waits. */
  const perform = async (call: EffectCall): Promise<EffectOutcome> => {
    let isSaid = false
    while (!call.signal.aborted) {
      try {
        return await performNow(call)
      } catch (error) {
        if (call.signal.aborted) return cancelled(call.name)
        if (draining !== undefined) return never()
        if (!(error instanceof StoreUnavailableError)) return effectsNotRead(call.name, error)
        tellWait(error, call.versionId)
        if (!isSaid && error instanceof UnreadableEnvironmentError) {
          isSaid = true
          call.onLog({ level: 'warn', message: `The effect ${call.name} waits: its environment cannot be read.` })
        }
      }
      await pause(limits.readAgainMs, call.signal)
    }
    return cancelled(call.name)
  }

  /** Rejects where the attempt cannot begin. */
  const performNow = async (call: EffectCall): Promise<EffectOutcome> => {
    let giveBack: (() => void) | undefined
    try {
      const version = await readVersion(call)
      if (version === undefined) return await noEffects.perform(call)
      const names = version.bundle.optionsByName
      if (version.isListed && !names.has(call.name)) return noSuchEffect(call.name, call.programId, names.keys())
      if (waitsBecause !== undefined) {
        const message = `The effect ${call.name} waits: the worker cannot isolate effects: ${waitsBecause}.`
        call.onLog({ level: 'warn', message })
        return await untilAborted(never(), call.signal)
      }
      giveBack = await places.take(version.workspaceId, call, unlessAborted(call.signal))
      await environments.current(version) // data may be large, and would be read again for each try
      const placed = call.readData === undefined ? call : { ...call, data: await call.readData() }
      const group = await untilAborted(groupOf(call.versionId, version), call.signal)
      group.environment = await environments.current(version)
      if (call.signal.aborted) return cancelled(call.name)
      if (draining !== undefined) return await never()
      const performed = performIn(group, version, placed)
      underWay.add(performed)
      return await performed.finally(() => underWay.delete(performed))
    } finally {
      giveBack?.()
    }
  }

  const drain = async (): Promise<void> => {
    clearInterval(reading)
    await within(limits.drainMs, Promise.allSettled(underWay))
    isAborting = true
    await Promise.all([...open.values()].map(closeGroup))
  }

  return {
    waitsBecause,
    perform: (call) => (draining === undefined || call.signal.aborted ? perform(call) : never()),
    drain: () => (draining ??= drain()),
  }
}

/** Of an attempt that this process does not begin any more: another one performs it. */
const never = (): Promise<never> => new Promise(() => undefined)
