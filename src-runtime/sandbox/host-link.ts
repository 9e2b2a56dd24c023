// The runtime's side of one Program host: sends tasks, reads results, and kills the host when it must.

import { readFromHost, type FromHost, type ResultMessage } from './host-messages.ts'
import type { ProgramSource } from './program-hosts.ts'
import { LARGE_CHARS, type ActivationMessage, type ProgramMessage } from './protocol.ts'
import type { HostProcess } from './spawn-host.ts'
import { isSmall, partMessage, type Task } from './task.ts'
import { createTransientMap, type TransientMap } from '../shared/transient-map.ts'
import { createStallClock, type StallClock } from './stall-clock.ts'

/** Why a host is gone. */
export type HostEnd =
  /** One turn used more CPU than it may. */
  | 'over_bound'
  /** It was silent while others waited. */
  | 'silent'
  /** It neither answered nor used any CPU: the system does not let it run. */
  | 'motionless'
  | 'memory'
  | 'crashed'
  /** The system or its operator killed it, as the kernel does where memory is short. Code in the sandbox can send no signal. */
  | 'killed'
  | 'never_ready'
  | 'stopped'

export type LinkEvents = {
  readonly onResult: (link: HostLink, task: Task, result: ResultMessage) => void
  /** Called before the result, where that is in the same message. By default not at all. */
  readonly onHeld?: (link: HostLink, task: Task, heldMs: number) => void
  readonly onChecked: (link: HostLink, message: string) => void
  /** Called before the running tasks are taken back. */
  readonly onEnd: (link: HostLink, end: HostEnd, reason: string) => void
}

export type HostLink = {
  readonly process: HostProcess
  readonly flights: Pick<TransientMap<number, Task>, 'size' | 'values'>
  readonly isReady: boolean
  /** How many times slower than the reference machine this machine is. */
  readonly slowness: number
  readonly stall: StallClock
  /** The task that ran at the host's last message, if that is certain. */
  culprit(): Task | undefined
  /** Takes back the running tasks. The host's later messages about them are ignored. */
  takeBack(): readonly Task[]
  /** Whether it has room for the task. While it has as much input as it may get at once, only for small ones; as much code, only for known code. */
  takes(task: Task): boolean
  /** Small tasks share one message. A task is counted before the next one is taken. */
  run(tasks: Iterable<Task>): void
  check(source: ProgramSource): void
  forget(executionIds: readonly string[]): void
  /** Notes that the host no longer has the code of a version. */
  forgetProgram(versionId: string): void
  end(why: HostEnd): void
  /** It ended, or was told to end: give it no more tasks. */
  readonly isOver: boolean
}

export type HostRules = {
  readonly separatesReplay: boolean
  /** Whether the host must announce a task before it runs it, because its code has not proven quick. */
  readonly isAnnounced: (task: Task) => boolean
}

/**
 * Of payloads, and of code. One large task runs while the next one is being sent. More would stay in this process's memory where a host
 * does not read, and the code of many large versions at once has no room in a host.
 */
const MOST_CHARS = 1024 * 1024

export const createHostLink = (
  process: HostProcess,
  loadProgram: (versionId: string) => ProgramSource,
  events: LinkEvents,
  rules: HostRules,
): HostLink => {
  const flights = createTransientMap<number, Task>()
  const known = new Set<string>()
  const stall = createStallClock()
  let sequence = 0
  /** Characters in the payloads of running tasks, and of code that was sent with them. */
  let chars = 0
  let codeChars = 0
  let isReady = false
  let slowness = 1
  let running = 0
  let heard = 0
  const announced = new Set<number>()
  let ending: HostEnd | undefined
  let hasEnded = false

  const takeBack = (): readonly Task[] => {
    const lost = [...flights.values()]
    flights.clear()
    announced.clear()
    return lost
  }

  const receiveResults = (message: Extract<FromHost, { kind: 'results' }>): void => {
    if (message.running !== undefined) {
      heard += 1
      running = message.running
    }
    stall.reset()
    for (const [of, heldMs] of message.held ?? []) {
      const task = flights.get(of)
      if (task !== undefined) events.onHeld?.(link, task, heldMs)
    }
    for (const result of message.results) {
      const task = flights.get(result[0])
      if (task === undefined) throw new Error('A host answered what it was not asked')
      // Throws for an invalid turn. The task is then still listed, and ends with the host.
      chars -= task.partChars
      codeChars -= task.codeChars
      events.onResult(link, task, result)
      flights.delete(result[0])
      announced.delete(result[0])
    }
  }

  const receive = (raw: unknown): void => {
    if (hasEnded || ending !== undefined) return
    const message = readFromHost(raw)
    if (message === undefined) return link.end('crashed')
    switch (message.kind) {
      case 'ready':
        isReady = true
        slowness = message.slowness
        return stall.reset()
      case 'checked':
        stall.reset()
        return events.onChecked(link, message.message)
      case 'results':
        try {
          return receiveResults(message)
        } catch {
          return link.end('crashed')
        }
    }
  }

  /** The code that the host does not have yet. */
  const programFor = ({ activation }: Task): readonly ProgramMessage[] => {
    const { versionId, tenant = '' } = activation
    if (known.has(versionId)) return []
    const { code, sourceMap = '' } = loadProgram(versionId)
    known.add(versionId)
    return [[versionId, tenant, code, sourceMap]]
  }

  const link: HostLink = {
    process,
    flights,
    stall,
    get isReady() {
      return isReady
    },
    get slowness() {
      return slowness
    },
    culprit: () => {
      const [only] = flights.values()
      return flights.size === 1 ? only : announced.has(running) ? flights.get(running) : undefined
    },
    takeBack,
    takes: (task) =>
      (chars <= MOST_CHARS || isSmall(task)) && (codeChars <= MOST_CHARS || known.has(task.activation.versionId)),
    get isOver() {
      return hasEnded || ending !== undefined
    },
    run: (tasks) => {
      if (flights.size === 0) stall.reset()
      const programs: ProgramMessage[] = []
      const batch: ActivationMessage[] = []
      const large: ActivationMessage[] = []
      for (const task of tasks) {
        let codes: readonly ProgramMessage[]
        try {
          codes = programFor(task)
        } catch (error) {
          task.reject(error instanceof Error ? error : new Error(String(error)))
          continue
        }
        programs.push(...codes)
        task.codeChars = codes.reduce((sum, [, , code, sourceMap]) => sum + code.length + sourceMap.length, 0)
        codeChars += task.codeChars
        sequence++
        flights.set(sequence, task)
        const isAnnounced = rules.isAnnounced(task)
        if (isAnnounced) announced.add(sequence)
        const message = partMessage(task, sequence, { separatesReplay: rules.separatesReplay, isAnnounced })
        chars += task.partChars
        ;(task.partChars > LARGE_CHARS ? large : batch).push(message)
      }
      if (batch.length > 0 || programs.length > 0) process.send({ kind: 'run', programs, batch, heard })
      for (const message of large) process.sendLarge({ kind: 'run', programs: [], batch: [message], heard })
    },
    check: ({ code, sourceMap = '' }) => {
      sequence++
      stall.reset()
      process.send({ kind: 'check', sequence, code, sourceMap })
    },
    forget: (executionIds) => process.send({ kind: 'forget', executionIds }),
    forgetProgram: (versionId) => {
      known.delete(versionId)
    },
    end: (why) => {
      ending ??= why
      process.kill()
    },
  }

  process.onMessage(receive)
  process.onExit((reason) => {
    hasEnded = true
    events.onEnd(link, ending ?? endOf(isReady, reason), reason)
  })
  return link
}

const endOf = (isReady: boolean, reason: string): HostEnd => {
  if (!isReady) return 'never_ready'
  return /^SIGKILL\b/.test(reason) ? 'killed' : 'crashed'
}
