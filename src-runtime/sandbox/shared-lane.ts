// The host in which nearly all Executions run, and the one of those that take much time of it. A turn that takes long there is
// abandoned, and its Execution moves to a host of its own. When the host stops answering, all Executions but the cause move to a
// spare host.

import { ownerKey, type BusyOwners } from './busy-owners.ts'
import type { HostEnd, HostLink } from './host-link.ts'
import type { ResultMessage } from './host-messages.ts'
import {
  describeEnd,
  isOfSystem,
  rejectStopped,
  retryDelayMs,
  START_WITHIN_MS,
  type Lane,
  type LaneParts,
} from './lane.ts'
import type { StallClock } from './stall-clock.ts'
import { ownerOf, readResult, restartTask, type Task } from './task.ts'
import { createTenantQueue } from './tenant-queue.ts'

const BATCH = 64
/** Two batches: one runs while the other is being sent. */
const WINDOW = 2 * BATCH
/** An unused spare host ends after this long. */
const SPARE_MS = 10_000

/**
 * A host that the system hardly runs is late, not silent: another one would get as little CPU, and would have to start and
 * replay first. If it gets no CPU at all, that may be for this host alone, so another one is tried.
 */
const isSilentFor = (limitMs: number, { stalledMs, busyMs, motionlessMs }: StallClock): boolean =>
  stalledMs >= limitMs && (busyMs >= Math.min(limitMs, stalledMs / 4) || motionlessMs >= limitMs * 5)

export type SharedLane = Lane & {
  submit(task: Task): void
  warm(): void
  sendNow(): void
}

export type SharedLaneParts = LaneParts & { readonly busyOwners: BusyOwners }

/** Where the Executions go that do not run here. Without `busy`, this is that lane. */
export type OtherLanes = { readonly alone: (task: Task) => void; readonly busy?: (task: Task) => void }

export const createSharedLane = (
  parts: SharedLaneParts,
  { alone: runAlone, busy: runBusy }: OtherLanes,
): SharedLane => {
  const { limits, slowPrograms, busyOwners, log } = parts
  const queue = createTenantQueue(ownerOf)
  let link: HostLink | undefined
  /** Started while the host is silent, so that it is ready if the host must be replaced. */
  let spare: HostLink | undefined
  let spareMs = 0
  /** How long the host has been idle, and how many turns it has run. */
  let idleMs = 0
  let turnsRun = 0
  let failures = 0
  /** How many hosts in a row were replaced before they answered anything. */
  let silences = 0
  let retryInMs = 0
  let isScheduled = false
  let isStopped = false

  const start = (): HostLink => parts.startHost('shared', { onResult, onHeld, onEnd, onChecked: () => {} })

  const open = (): HostLink => {
    if (link === undefined) {
      link = spare ?? start()
      spare = undefined
      idleMs = 0
      turnsRun = 0
    }
    return link
  }

  const othersWait = (): boolean => queue.size > 0 || (link !== undefined && link.flights.size > 1)

  const keepSpare = (elapsedMs: number): void => {
    if (link?.isReady === true && othersWait() && isSilentFor(limits.spareAfterMs, link.stall)) {
      spareMs = 0
      // Where none can start, the silent host is replaced without one: its end may make room for another one.
      if (retryInMs <= 0) spare ??= start()
      return
    }
    spareMs = spare === undefined ? 0 : spareMs + elapsedMs
    if (spareMs <= SPARE_MS) return
    spare?.end('stopped')
    // It takes a while to end, and must not get tasks meanwhile.
    spare = undefined
  }

  /** Replaces a silent host, so that the other Executions need not wait for the one that blocks it. */
  const replaceSilent = (): void => {
    if (link?.isReady !== true || link.flights.size === 0) return
    // On a slow machine the next host may be as slow, so each host in a row gets twice as long.
    const limitMs = (othersWait() ? limits.sharedSilenceMs : limits.sharedSilenceAloneMs) * 2 ** Math.min(silences, 6)
    if (!isSilentFor(limitMs, link.stall) || (spare !== undefined && !spare.isReady)) return
    const silent = link
    const { busyMs } = silent.stall
    silent.end('silent')
    silences++
    link = undefined
    open()
    // A host that used little CPU was delayed by the machine, not by a Program.
    if (busyMs < limitMs / 4) for (const task of silent.takeBack()) moveTo(submit, task)
    else moveAll(silent, 'silent')
  }

  /** Moves the tasks of a lost host to another one. The task that is known to be the cause runs alone. */
  const moveAll = (host: HostLink, end: HostEnd): void => {
    const culprit = host.culprit()
    if (culprit !== undefined) {
      if (end === 'silent') slowPrograms.noteSilent(culprit.activation)
      else if (!isOfSystem(end)) slowPrograms.noteKill(culprit.activation)
      // Also those that do not wait have lost their images.
      if (!isOfSystem(end)) onHeld(host, culprit, Number.POSITIVE_INFINITY)
    }
    for (const task of host.takeBack()) {
      task.mayHaveSilencedHost ||= culprit === undefined
      moveTo(task === culprit ? runAlone : submit, task)
    }
  }

  /** Restarts the task, because its image was lost with the host. */
  const moveTo = (run: (task: Task) => void, task: Task): void => {
    const gone = restartTask(task)
    if (gone === undefined) run(task)
    else task.resolve(gone)
  }

  /**
   * Ends an idle host: it costs more memory than the rest of the runtime, and a new one is ready in less than 0.1 s.
   */
  const endIdle = (elapsedMs: number): void => {
    const { leastMs, perTurnMs, mostMs } = limits.sharedIdle
    if (link?.isReady !== true || link.flights.size > 0 || queue.size > 0) return
    idleMs += elapsedMs
    if (idleMs < Math.min(mostMs, leastMs + turnsRun * perTurnMs)) return
    const idle = link
    link = undefined
    if (runBusy === undefined) busyOwners.forgetAll()
    idle.end('stopped')
  }

  function* takeBatch(host: HostLink): Iterable<Task> {
    for (let room = Math.min(BATCH, WINDOW - host.flights.size); room > 0; room--) {
      const task = queue.take({ first: host.takes })
      if (task === undefined) return
      const isNew = task.activation.turnsDone + task.turnsRun === 0
      // Checked again here, because its version may have become slow while it waited.
      if (slowPrograms.runsAlone(task.activation, isNew)) runAlone(task)
      else if (runBusy !== undefined && busyOwners.runsApart(task.activation, isNew)) runBusy(task)
      else {
        turnsRun += task.activation.turns.length
        yield task
      }
    }
  }

  const dispatch = (): void => {
    isScheduled = false
    if (isStopped || retryInMs > 0) return
    while (queue.size > 0) {
      const host = open()
      const before = queue.size
      if (host.isOver) return
      host.run(takeBatch(host))
      if (queue.size === before) return
      idleMs = 0
    }
  }

  /** Sends after the current work, so that calls made together share a message. */
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(dispatch)
  }

  const enqueue = (task: Task): void => queue.add(task)

  const submit = (task: Task): void => {
    enqueue(task)
    schedule()
  }

  const onHeld = (host: HostLink, { activation }: Task, heldMs: number): void => {
    const owner = ownerKey(activation)
    const isOther = (task: Task): boolean => ownerKey(task.activation) !== owner
    const othersWait = (): boolean => [...host.flights.values()].some(isOther) || queue.canTake({ first: isOther })
    busyOwners.noteHeld(activation, heldMs, runBusy !== undefined && othersWait())
  }

  const onResult = (host: HostLink, task: Task, message: ResultMessage): void => {
    const step = readResult(task, message)
    failures = 0
    silences = 0
    if (message[1] === 'abandoned') {
      slowPrograms.noteSlow(task.activation)
      moveTo(runAlone, task)
    } else if (step.kind === 'finished') {
      task.mayHaveSilencedHost = false
      slowPrograms.noteRan(task.activation, true)
      task.resolve(step.result)
    } else {
      if (message[1] === 'program_missing') host.forgetProgram(task.activation.versionId)
      enqueue(task)
    }
    if (queue.size > 0) schedule()
  }

  const onEnd = (host: HostLink, end: HostEnd, reason: string): void => {
    if (spare === host) spare = undefined
    if (link === host) link = undefined
    if (isStopped) return rejectStopped(host.takeBack())
    if (end === 'stopped') return
    log.warn({ lost: host.flights.size, reason }, describeEnd[end])
    if (end === 'never_ready') {
      for (const task of host.takeBack()) enqueue(task)
      retryInMs = retryDelayMs(failures++)
      return
    }
    moveAll(host, end)
    if (queue.size > 0) schedule()
  }

  return {
    submit,
    warm: () => {
      open()
    },
    sendNow: () => {
      if (isScheduled && link?.isReady === true) dispatch()
    },
    watched: () => {
      const starting = [link, spare].filter((host) => host?.isReady === false)
      const running = link?.isReady === true && link.flights.size > 0 ? [link] : []
      return [
        ...starting.flatMap((host) => (host === undefined ? [] : [{ link: host, stallLimitMs: START_WITHIN_MS }])),
        // `replaceSilent` handles its silence.
        ...running.map((host) => ({ link: host, stallLimitMs: Number.POSITIVE_INFINITY })),
      ].map((watched) => ({ ...watched, leastShare: 0.35, rssLimitBytes: limits.sharedRssBytes }))
    },
    get needsTicks() {
      return retryInMs > 0 || spare !== undefined || link !== undefined
    },
    forget: (executionIds) => link?.forget(executionIds),
    tick: (elapsedMs) => {
      keepSpare(elapsedMs)
      replaceSilent()
      endIdle(elapsedMs)
      if (retryInMs <= 0) return
      retryInMs -= elapsedMs
      if (retryInMs <= 0) schedule()
    },
    stop: () => {
      isStopped = true
      rejectStopped(queue.takeAll())
      link?.end('stopped')
      spare?.end('stopped')
    },
  }
}
