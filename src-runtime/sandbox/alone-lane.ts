// Hosts for Executions that are slow, or are suspected of having ended a host: one Execution at a time in each, behind
// everybody else in the system's eyes. Here a turn may use its whole budget.

import type { HostEnd, HostLink } from './host-link.ts'
import type { ResultMessage } from './host-messages.ts'
import {
  describeEnd,
  failedByKill,
  rejectStopped,
  retryDelayMs,
  START_PATIENCE_MS,
  type Lane,
  type LaneParts,
} from './lane.ts'
import { readResult, restartTask, type Task } from './task.ts'

const MOST_HOSTS = 4
const MOST_KILLS = 2
/** A host without work stays this long, for the next turn of the same Execution. */
const IDLE_MS = 15_000

export type AloneLane = Lane & { submit(task: Task): void }

type Host = {
  readonly link: HostLink
  task: Task | undefined
  /** The Execution whose image is likely there. */
  latest: string
  idleMs: number
}

export const createAloneLane = (parts: LaneParts): AloneLane => {
  const { limits, memory, log } = parts
  let queue: Task[] = []
  let hosts: readonly Host[] = []
  let failures = 0
  let retryInMs = 0
  let isStopped = false

  const open = (): Host => {
    const host: Host = {
      link: parts.startHost('alone', { onResult, onEnd, onChecked: () => {} }),
      task: undefined,
      latest: '',
      idleMs: 0,
    }
    hosts = [...hosts, host]
    return host
  }

  const hostFor = (task: Task): Host | undefined => {
    const free = hosts.filter((host) => host.task === undefined && !host.link.isOver)
    return (
      free.find((host) => host.latest === task.activation.executionId) ??
      free[0] ??
      (hosts.length < MOST_HOSTS ? open() : undefined)
    )
  }

  /** Of the version that has the fewest hosts now: one version's many slow Executions do not hold up another's. */
  const nextTask = (): Task | undefined => {
    const busyWith = ({ activation }: Task): number =>
      hosts.filter((host) => host.task?.activation.versionId === activation.versionId).length
    return queue.reduce<Task | undefined>(
      (best, task) => (best === undefined || busyWith(task) < busyWith(best) ? task : best),
      undefined,
    )
  }

  const dispatch = (): void => {
    while (!isStopped && retryInMs <= 0) {
      const task = nextTask()
      const host = task === undefined ? undefined : hostFor(task)
      if (task === undefined || host === undefined) return
      queue = queue.filter((other) => other !== task)
      host.task = task
      host.latest = task.activation.executionId
      host.idleMs = 0
      host.link.run([task])
      if (host.link.flights.size === 0) host.task = undefined
    }
  }

  const submit = (task: Task): void => {
    queue = [...queue, task]
    dispatch()
  }

  const onResult = (link: HostLink, task: Task, message: ResultMessage): void => {
    const { executionId, versionId } = task.activation
    const step = readResult(task, message)
    failures = 0
    const host = hosts.find((candidate) => candidate.link === link)
    if (host !== undefined) host.task = undefined
    if (step.kind === 'finished') {
      memory.noteGood(executionId, versionId)
      task.resolve(step.result)
    } else {
      if (message[1] === 'program_missing') link.forgetProgram(versionId)
      queue = [task, ...queue]
    }
    queueMicrotask(dispatch)
  }

  const afterKill = (task: Task, end: HostEnd): void => {
    const { executionId, versionId } = task.activation
    memory.noteCulprit(versionId)
    if (memory.noteKill(executionId) >= MOST_KILLS) {
      memory.forget(executionId)
      return task.resolve(failedByKill(task, end))
    }
    const gone = restartTask(task)
    if (gone === undefined) queue = [...queue, task]
    else task.resolve(gone)
  }

  const onEnd = (link: HostLink, end: HostEnd, lost: readonly Task[], reason: string): void => {
    hosts = hosts.filter((host) => host.link !== link)
    if (isStopped) return rejectStopped(lost)
    if (end !== 'stopped') {
      log.warn({ executions: lost.map((task) => task.activation.executionId), reason }, describeEnd[end])
    }
    if (end === 'never_ready') {
      queue = [...lost, ...queue]
      retryInMs = retryDelayMs(failures++)
      return
    }
    for (const task of lost) afterKill(task, end)
    dispatch()
  }

  return {
    submit,
    watched: () =>
      hosts
        .filter((host) => host.task !== undefined || !host.link.isReady)
        .map(({ link }) => ({
          link,
          patienceMs: link.isReady ? limits.alonePatienceMs : START_PATIENCE_MS,
          leastShare: 0.2,
          rssLimitBytes: limits.aloneRssBytes,
        })),
    get needsTicks() {
      return retryInMs > 0 || hosts.length > 0
    },
    forget: (executionIds) => {
      for (const { link, latest } of hosts) if (executionIds.includes(latest)) link.forget(executionIds)
    },
    tick: (elapsedMs) => {
      if (retryInMs > 0) {
        retryInMs -= elapsedMs
        dispatch()
      }
      for (const host of hosts) {
        if (host.task !== undefined) continue
        host.idleMs += elapsedMs
        if (host.idleMs > IDLE_MS) host.link.end('stopped')
      }
    },
    stop: () => {
      isStopped = true
      rejectStopped(queue)
      queue = []
      for (const { link } of hosts) link.end('stopped')
    },
  }
}
