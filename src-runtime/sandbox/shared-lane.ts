// The one host in which nearly everything runs. A turn that takes long there is given up, and the Execution moves to a
// host of its own.

import type { HostEnd, HostLink } from './host-link.ts'
import type { ResultMessage } from './host-messages.ts'
import { describeEnd, rejectStopped, retryDelayMs, START_PATIENCE_MS, type Lane, type LaneParts } from './lane.ts'
import { readResult, restartTask, type Task } from './task.ts'

const BATCH = 64
/** Two batches: one runs while the other is on its way. */
const WINDOW = 2 * BATCH
/** A spare host that was not needed goes after this long. */
const SPARE_MS = 10_000

export type SharedLane = Lane & {
  submit(task: Task): void
  warm(): void
  sendNow(): void
  readonly isReady: boolean
}

export const createSharedLane = (parts: LaneParts, runAlone: (task: Task) => void): SharedLane => {
  const { limits, memory, log } = parts
  let queue: Task[] = []
  let link: HostLink | undefined
  /** Started while the host says nothing, so that nobody waits for its successor too. */
  let spare: HostLink | undefined
  let spareMs = 0
  /** How long the host has had no work, and how much it has had. */
  let idleMs = 0
  let turnsRun = 0
  let failures = 0
  let retryInMs = 0
  let isScheduled = false
  let isStopped = false

  const start = (): HostLink => parts.startHost('shared', { onResult, onEnd, onChecked: () => {} })

  const open = (): HostLink => {
    if (link === undefined) {
      link = spare ?? start()
      spare = undefined
      idleMs = 0
      turnsRun = 0
    }
    return link
  }

  const othersWait = (): boolean => queue.length > 0 || (link !== undefined && link.flights.size > 1)

  const keepSpare = (elapsedMs: number): void => {
    spareMs = spare === undefined ? 0 : spareMs + elapsedMs
    if (spareMs > SPARE_MS) spare?.end('stopped')
    if (spare !== undefined || link?.isReady !== true || !othersWait()) return
    if (link.stall.stalledMs >= limits.sharedPatienceMs / 2) spare = start()
  }

  /** A host costs more memory than all the rest, and is back in the time of two frames. */
  const rest = (elapsedMs: number): void => {
    const { leastMs, perTurnMs, mostMs } = limits.sharedIdle
    if (link?.isReady !== true || link.flights.size > 0 || queue.length > 0) return
    idleMs += elapsedMs
    if (idleMs < Math.min(mostMs, leastMs + turnsRun * perTurnMs)) return
    const idle = link
    link = undefined
    idle.end('stopped')
  }

  const dispatch = (): void => {
    isScheduled = false
    if (isStopped || retryInMs > 0) return
    while (queue.length > 0) {
      const host = open()
      const room = WINDOW - host.flights.size
      if (host.isOver || room <= 0) return
      const batch = queue.slice(0, Math.min(BATCH, room))
      queue = queue.length > batch.length ? queue.slice(batch.length) : []
      idleMs = 0
      turnsRun += batch.reduce((turns, task) => turns + task.activation.turns.length, 0)
      // Executions of one version share a template: side by side they swap less memory.
      if (batch.length > 2) batch.sort(byVersion)
      const refused = host.run(batch)
      if (refused.length > 0) {
        queue = [...refused, ...queue]
        return
      }
    }
  }

  /** After what is going on now: calls of one moment share a message. */
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(dispatch)
  }

  const submit = (task: Task): void => {
    queue.push(task)
    schedule()
  }

  const moveAlone = (task: Task): void => {
    const gone = restartTask(task)
    if (gone === undefined) runAlone(task)
    else task.resolve(gone)
  }

  const onResult = (host: HostLink, task: Task, message: ResultMessage): void => {
    const { executionId, versionId } = task.activation
    const step = readResult(task, message)
    failures = 0
    if (message[1] === 'abandoned') {
      memory.noteSlow(executionId, versionId)
      moveAlone(task)
    } else if (step.kind === 'finished') {
      memory.noteGood(executionId, versionId)
      task.resolve(step.result)
    } else {
      if (message[1] === 'program_missing') host.forgetProgram(versionId)
      queue.push(task)
    }
    if (queue.length > 0) schedule()
  }

  const onEnd = (host: HostLink, end: HostEnd, lost: readonly Task[], reason: string): void => {
    if (link === host) link = undefined
    if (spare === host) spare = undefined
    if (isStopped) return rejectStopped(lost)
    if (end === 'stopped') return
    log.warn({ lost: lost.length, reason }, describeEnd[end])
    if (end === 'never_ready') {
      queue = [...lost, ...queue]
      retryInMs = retryDelayMs(failures++)
      return
    }
    if (lost.length === 1) memory.noteCulprit(lost[0]?.activation.versionId ?? '')
    for (const task of lost) {
      memory.noteKill(task.activation.executionId)
      moveAlone(task)
    }
    if (queue.length > 0) schedule()
  }

  return {
    submit,
    warm: () => {
      open()
    },
    sendNow: () => {
      if (isScheduled && link?.isReady === true) dispatch()
    },
    get isReady() {
      return link?.isReady === true
    },
    watched: () => {
      if (link === undefined || (link.isReady && link.flights.size === 0)) return []
      const othersWait = queue.length > 0 || link.flights.size > 1
      const patienceMs = !link.isReady
        ? START_PATIENCE_MS
        : othersWait
          ? limits.sharedPatienceMs
          : limits.sharedPatienceAloneMs
      return [{ link, patienceMs, leastShare: 0.5, rssLimitBytes: limits.sharedRssBytes }]
    },
    get needsTicks() {
      return retryInMs > 0 || spare !== undefined || link !== undefined
    },
    forget: (executionIds) => link?.forget(executionIds),
    tick: (elapsedMs) => {
      keepSpare(elapsedMs)
      rest(elapsedMs)
      if (retryInMs <= 0) return
      retryInMs -= elapsedMs
      if (retryInMs <= 0) schedule()
    },
    stop: () => {
      isStopped = true
      rejectStopped(queue)
      queue = []
      link?.end('stopped')
      spare?.end('stopped')
    },
  }
}

const byVersion = (left: Task, right: Task): number =>
  left.activation.versionId < right.activation.versionId
    ? -1
    : left.activation.versionId > right.activation.versionId
      ? 1
      : 0
