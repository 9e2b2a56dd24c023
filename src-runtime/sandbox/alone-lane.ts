// Hosts for Executions that are slow or have ended a host. Each host runs one Execution at a time, at a lower priority
// than other processes. A turn may use its whole budget. Tenants and Programs take turns, and no Program and no tenant may hold all
// hosts.

import { forgetOldest } from '../shared/forget-oldest.ts'
import type { HostEnd, HostLink } from './host-link.ts'
import { REPLAY_FACTOR } from './turn-watches.ts'
import type { ResultMessage } from './host-messages.ts'
import {
  describeEnd,
  failedByKill,
  isOfSystem,
  rejectStopped,
  retryDelayMs,
  watchAlone,
  type Lane,
  type LaneParts,
} from './lane.ts'
import type { ActivationResult } from './program-hosts.ts'
import { ownerOf, readResult, restartTask, type Task } from './task.ts'
import { createTenantQueue } from './tenant-queue.ts'

/** One Program may hold this many hosts, and only while no more than `FEW_HOSTS` are busy. */
const MOST_OF_PROGRAM = 3
const FEW_HOSTS = 4
/** A Program that holds none yet gets one while there are fewer than this. */
const MOST_HOSTS = 8
const MOST_KILLS = 2
/** How long an idle host is kept for the next turn of the same Execution. */
const IDLE_MS = 15_000
/** How long a host waits for the next part of a replay, which its caller must read first. */
const NEXT_PART_WITHIN_MS = 250
/** A host has no memory for more images. */
const MOST_HELD = 16_384

export type AloneLane = Lane & {
  submit(task: Task): void
  /** Whether a host ran the Execution last and still has its image, which is nowhere else then. */
  ranLast(executionId: string): boolean
}

type Host = {
  readonly link: HostLink
  /** While `keptForMs` is above zero, one that has ended. */
  task: Task | undefined
  /** The Execution that ran last; the host likely holds its image. */
  latest: string
  /** A part of its replay has ended here: for so long, nothing but the next one runs here. */
  keptForMs: number
  /** Executions of which it may hold an image, oldest first. */
  readonly held: Set<string>
  idleMs: number
}

export const createAloneLane = (parts: LaneParts): AloneLane => {
  const { limits, slowPrograms, log } = parts
  const queue = createTenantQueue(ownerOf)
  let hosts: readonly Host[] = []
  let failures = 0
  let retryInMs = 0
  let isStopped = false

  const open = (): Host => {
    const link = parts.startHost('alone', { onResult, onEnd, onChecked: () => {} })
    const host: Host = { link, task: undefined, latest: '', keptForMs: 0, held: new Set(), idleMs: 0 }
    hosts = [...hosts, host]
    return host
  }

  const mayHaveHost = (task: Task): boolean => {
    const { tenant, programId } = ownerOf(task)
    const busy = hosts.flatMap((host) => (host.task === undefined ? [] : [ownerOf(host.task)]))
    const ofTenant = busy.filter((other) => other.tenant === tenant)
    // A tenant may hold no more hosts than the others may still get.
    if (tenant !== undefined && ofTenant.length >= MOST_HOSTS - busy.length) return false
    const held = ofTenant.filter((other) => other.programId === programId).length
    return held === 0 ? busy.length < MOST_HOSTS : held < MOST_OF_PROGRAM && busy.length < FEW_HOSTS
  }

  const hostFor = (task: Task): Host => {
    const free = hosts.filter((host) => host.task === undefined && !host.link.isOver)
    return free.find(({ latest }) => latest === task.activation.executionId) ?? free[0] ?? open()
  }

  const run = (host: Host, task: Task): void => {
    const { executionId } = task.activation
    host.task = task
    host.keptForMs = 0
    host.latest = executionId
    host.held.delete(executionId)
    host.held.add(executionId)
    forgetOldest(host.held, MOST_HELD)
    host.idleMs = 0
    host.link.run([task])
    if (host.link.flights.size === 0) host.task = undefined
  }

  const dispatch = (): void => {
    while (!isStopped && retryInMs <= 0) {
      const task = queue.take({ first: mayHaveHost })
      if (task === undefined) return
      run(hostFor(task), task)
    }
  }

  const enqueue = (task: Task): void => queue.add(task)

  const submit = (task: Task): void => {
    task.onAlone()
    const { executionId } = task.activation
    const kept = hosts.find(({ keptForMs, latest, link }) => keptForMs > 0 && latest === executionId && !link.isOver)
    if (kept !== undefined) return run(kept, task)
    enqueue(task)
    dispatch()
  }

  /** Also if it was kept, and what it was kept for does not come. */
  const release = (host: Host): void => {
    host.keptForMs = 0
    host.task = undefined
  }

  const onResult = (link: HostLink, task: Task, message: ResultMessage): void => {
    const { executionId, versionId } = task.activation
    const step = readResult(task, message)
    failures = 0
    const host = hosts.find((candidate) => candidate.link === link)
    if (message[1] === 'program_missing') link.forgetProgram(versionId)
    if (message[1] === 'over_bound') log.warn({ executionId }, 'A journalled turn met a bound; it is tried again')
    // The image is in this host, so the next part runs here too.
    if (step.kind === 'again' && host !== undefined) return queueMicrotask(() => runNextPart(host, task))
    if (host !== undefined) {
      if (step.kind === 'finished' && step.result.kind === 'image_missing') {
        host.held.delete(executionId)
        host.latest = ''
      }
      if (step.kind === 'finished' && isReplayed(step.result)) host.keptForMs = NEXT_PART_WITHIN_MS
      else release(host)
    }
    if (step.kind === 'finished') {
      slowPrograms.noteRan(task.activation, isQuick(step.result))
      task.resolve(step.result)
    }
    queueMicrotask(dispatch)
  }

  const runNextPart = (host: Host, task: Task): void => {
    if (isStopped) return rejectStopped([task])
    if (!host.link.isOver) return run(host, task)
    host.task = undefined
    enqueue(task)
    dispatch()
  }

  /** Only a live turn may fail, and only when it certainly ended the host. */
  const afterKill = (link: HostLink, task: Task, end: HostEnd): void => {
    const isCertain = end === 'over_bound' && !task.partIsReplay
    const isBlamed = !isOfSystem(end) && !task.partIsReplay
    if (isBlamed && (slowPrograms.noteKill(task.activation) >= MOST_KILLS || isCertain)) {
      slowPrograms.forget(task.activation.executionId)
      return task.resolve(failedByKill(end, link.stall.busyMs))
    }
    const gone = task.partIsReplay ? ({ kind: 'image_missing' } as const) : restartTask(task)
    if (gone === undefined) enqueue(task)
    else task.resolve(gone)
  }

  const onEnd = (link: HostLink, end: HostEnd, reason: string): void => {
    hosts = hosts.filter((host) => host.link !== link)
    const lost = link.takeBack()
    if (isStopped) return rejectStopped(lost)
    if (end !== 'stopped') {
      log.warn({ executions: lost.map((task) => task.activation.executionId), reason }, describeEnd[end])
    }
    if (end === 'never_ready') {
      for (const task of lost) enqueue(task)
      retryInMs = retryDelayMs(failures++)
      return
    }
    // The next host may be killed, too.
    if (end === 'killed' && lost.length > 0) retryInMs = retryDelayMs(failures++)
    for (const task of lost) afterKill(link, task, end)
    dispatch()
  }

  /** Whether its turns were, on average, short enough for the shared host. */
  const isQuick = (result: ActivationResult): boolean =>
    result.kind !== 'ran' || result.computeMs <= limits.budgets.sharedTurnMs * result.turns.length

  const silenceLimitMs = ({ link, task }: Host): number =>
    limits.aloneSilenceCpuMs * link.slowness * (task?.partIsReplay === true ? REPLAY_FACTOR : 1)

  return {
    submit,
    ranLast: (executionId) => hosts.some(({ latest, held }) => latest === executionId && held.has(executionId)),
    watched: () =>
      hosts
        .filter((host) => host.task !== undefined || !host.link.isReady)
        .map((host) => watchAlone(host.link, silenceLimitMs(host), limits)),
    get needsTicks() {
      return retryInMs > 0 || hosts.length > 0
    },
    forget: (executionIds) => {
      for (const host of hosts) {
        const known = executionIds.filter((executionId) => host.held.delete(executionId))
        if (known.length > 0) host.link.forget(known)
        if (host.keptForMs > 0 && known.includes(host.latest)) release(host)
      }
      dispatch()
    },
    tick: (elapsedMs) => {
      if (retryInMs > 0) {
        retryInMs -= elapsedMs
        dispatch()
      }
      for (const host of hosts) {
        if (host.keptForMs > 0 && (host.keptForMs -= elapsedMs) <= 0) {
          release(host)
          dispatch()
        }
        if (host.task !== undefined) continue
        host.idleMs += elapsedMs
        if (host.idleMs > IDLE_MS) host.link.end('stopped')
      }
    },
    stop: () => {
      isStopped = true
      rejectStopped(queue.takeAll())
      for (const { link } of hosts) link.end('stopped')
    },
  }
}

/** Without an outcome, it has only replayed turns, and more of them follow. */
const isReplayed = (result: ActivationResult): boolean => result.kind === 'ran' && result.turns.length === 0
