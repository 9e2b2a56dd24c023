// The runtime's end of one program host: what is under way there, what it answers, and when it has to be killed.

import type { FromHost, ResultMessage } from './host-messages.ts'
import { readFromHost } from './host-messages.ts'
import type { ProgramSource } from './program-hosts.ts'
import type { ActivationMessage, ProgramMessage } from './protocol.ts'
import type { HostProcess } from './spawn-host.ts'
import { legMessage, type Task } from './task.ts'
import { createStallClock, type StallClock } from './stall-clock.ts'

/** Why a host is gone. */
export type HostEnd = 'stalled' | 'memory' | 'crashed' | 'never_ready' | 'stopped'

export type LinkEvents = {
  readonly onResult: (link: HostLink, task: Task, result: ResultMessage) => void
  readonly onChecked: (link: HostLink, message: string) => void
  /** `lost` is in the order in which the host would have run them; the first is the likeliest to have ended it. */
  readonly onEnd: (link: HostLink, end: HostEnd, lost: readonly Task[], reason: string) => void
}

export type HostLink = {
  readonly process: HostProcess
  readonly flights: ReadonlyMap<number, Task>
  readonly isReady: boolean
  readonly stall: StallClock
  /** Takes as many as may be under way at once; answers the others. */
  run(tasks: readonly Task[]): readonly Task[]
  check(source: ProgramSource): void
  forget(executionIds: readonly string[]): void
  /** The host no longer has the code of a version. */
  forgetProgram(versionId: string): void
  end(why: HostEnd): void
  /** It ended, or was told to: nothing more is to be given to it. */
  readonly isOver: boolean
}

/** A host that does not read would leave the rest in this process's memory. */
const MOST_CHARS = 8 * 1024 * 1024

export const createHostLink = (
  process: HostProcess,
  loadProgram: (versionId: string) => ProgramSource,
  events: LinkEvents,
): HostLink => {
  const flights = new Map<number, Task>()
  const known = new Set<string>()
  const stall = createStallClock()
  let sequence = 0
  /** Of the payloads under way. */
  let chars = 0
  let isReady = false
  let next = 0
  let ending: HostEnd | undefined
  let hasEnded = false

  const loseFlights = (): readonly Task[] => {
    const lost = [...flights.entries()].toSorted(([left], [right]) => rank(left) - rank(right)).map(([, task]) => task)
    flights.clear()
    return lost
  }
  /** What the host said it would turn to comes first, then what was sent after it. */
  const rank = (number: number): number => (number >= next ? number - next : number + sequence)

  const receiveResults = (message: Extract<FromHost, { kind: 'results' }>): void => {
    next = message.next
    stall.reset()
    for (const result of message.results) {
      const task = flights.get(result[0])
      if (task === undefined) throw new Error('A host answered what it was not asked')
      // May throw for a turn that makes no sense; then the task is still under way, and lost with the host.
      chars -= task.legChars
      events.onResult(link, task, result)
      flights.delete(result[0])
    }
  }

  const receive = (raw: unknown): void => {
    if (hasEnded || ending !== undefined) return
    const message = readFromHost(raw)
    if (message === undefined) return link.end('crashed')
    switch (message.kind) {
      case 'ready':
        isReady = true
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
    const { versionId } = activation
    if (known.has(versionId)) return []
    const { code, sourceMap = '' } = loadProgram(versionId)
    known.add(versionId)
    return [[versionId, code, sourceMap]]
  }

  const link: HostLink = {
    process,
    flights,
    stall,
    get isReady() {
      return isReady
    },
    get isOver() {
      return hasEnded || ending !== undefined
    },
    run: (tasks) => {
      if (flights.size === 0) stall.reset()
      const programs: ProgramMessage[] = []
      const batch: ActivationMessage[] = []
      const refused: Task[] = []
      for (const task of tasks) {
        if (chars > MOST_CHARS) {
          refused.push(task)
          continue
        }
        try {
          programs.push(...programFor(task))
        } catch (error) {
          task.reject(error instanceof Error ? error : new Error(String(error)))
          continue
        }
        sequence++
        flights.set(sequence, task)
        batch.push(legMessage(task, sequence))
        chars += task.legChars
      }
      if (batch.length > 0) process.send({ kind: 'run', programs, batch })
      return refused
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
    events.onEnd(link, ending ?? (isReady ? 'crashed' : 'never_ready'), loseFlights(), reason)
  })
  return link
}
