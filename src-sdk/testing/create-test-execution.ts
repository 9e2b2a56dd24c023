// An Execution in a test, with a client's functions and a clock that the test moves.

import { isTerminal, type JournalEntry } from '../../src-runtime/engine/journal.ts'
import type { ExecutionError, ExecutionStatus, HistoryEntry, Waiting } from '../contract-types.ts'
import type { AsJson } from '../as-json.ts'
import type { Duration, InputArgument } from '../define-effect.ts'
import type { ProgramDefinition } from '../define-program.ts'
import { eventNameOf, type EventReference } from '../definitions.ts'
import { executionEnded, type ServiceRuntimeError } from '../service-runtime-error.ts'
import { durationOf } from './duration-of.ts'
import { addFrames, callSite } from './call-site.ts'
import { createFakeFinder, type Fakes } from './fakes.ts'
import { memberOf } from './json-data.ts'
import { payloadText, refused, startInputText } from './request-body.ts'
import { refuseUnlessAccepted, schemaOfEvent } from './schema-check.ts'
import { createSimulation, type Clock, type Simulation } from './simulation.ts'

export type TestOptions = {
  /** The fakes. Every effect that the Program calls needs one. */
  readonly effects?: Fakes
  /** The initial time: 2026-01-01T00:00:00.000Z when left out. */
  readonly startAt?: Date | string | number
  /** `exe_test` when left out. Random numbers follow from it. */
  readonly executionId?: string
}

export type Outcome<Result> =
  | { readonly status: 'completed'; readonly result: Result }
  | { readonly status: 'failed'; readonly error: ExecutionError }
  | { readonly status: 'cancelled' }

/**
 * One Execution under test. Each call runs everything that needs no time to pass, so a promise settles when the Program
 * waits again. Calls take effect in order.
 */
export type TestExecution<Result = unknown> = {
  readonly id: string
  /** The time of the Execution's clock. */
  now(this: void): Date
  /** Sends an event, as a client does. Rejects with a ServiceRuntimeError where the service would. */
  send<Payload = unknown>(
    this: void,
    event: string | EventReference<Payload>,
    ...payload: TestPayload<NoInfer<Payload>>
  ): Promise<void>
  /** Cancels, as a client does, and runs the clean-up as far as possible without moving the clock. */
  cancel(this: void): Promise<void>
  /**
   * Moves the clock by a duration, or to a time. Timers, timeouts and retries happen on the way, each at its own time.
   * Fakes that do real work get up to 50 ms for it before the clock moves.
   */
  advance(this: void, time: Duration | Date): Promise<void>
  status(this: void): Promise<ExecutionStatus>
  /** What the Program waits for now, in the order of its calls; empty once the Execution has ended. */
  waitingFor(this: void): Promise<readonly Waiting[]>
  /** The history so far, as a client's `getHistory` returns it, with what the Program and the fakes have logged. */
  history(this: void): Promise<readonly HistoryEntry[]>
  /**
   * Runs to the end, moving the clock as needed, and returns the Program's result. Rejects as a client's `result()`
   * does.
   */
  result(this: void): Promise<Result>
  /** The same, but resolves with the outcome instead of rejecting. */
  outcome(this: void): Promise<Outcome<Result>>
}

/** A payload may be left out only where its type allows it. */
type TestPayload<Payload> = undefined extends Payload ? [payload?: Payload] : [payload: Payload]

const START_AT = '2026-01-01T00:00:00.000Z'

/** Starts an Execution in this process, with fake effects and a clock that the test moves. */
export const createTestExecution = <Input, Result>(
  definition: ProgramDefinition<Input, Result>,
  ...rest: [...input: InputArgument<Input>, options?: TestOptions]
): TestExecution<AsJson<Result>> => {
  const [input, options = {}] = rest as unknown as [input?: unknown, options?: TestOptions]
  if (typeof (definition as ProgramDefinition | undefined)?.run !== 'function') {
    throw new TypeError('createTestExecution takes a Program that defineProgram made')
  }
  const { effects = {}, startAt = START_AT, executionId = 'exe_test' } = options
  const clock: Clock = { now: startTime(startAt) }
  const fakes = createFakeFinder(effects)

  const begin = async (): Promise<Simulation> => {
    const text = startInputText(definition.id, input)
    await refuseUnlessAccepted(text, 'The input', definition.input)
    return createSimulation(definition as ProgramDefinition, executionId, text, clock, fakes)
  }
  const begun = begin()
  let last: Promise<unknown> = begun.catch(() => {})
  /** Runs calls one after the other. A refused input rejects all of them. */
  const inOrder = <Value>(act: (simulation: Simulation) => Promise<Value>): Promise<Value> => {
    const acted = last.then(() => begun).then(act)
    last = acted.catch(() => {})
    return acted
  }
  inOrder((simulation) => simulation.settle()).catch(() => {}) // the next call reports the error

  const settled = <Value>(read: (simulation: Simulation) => Value): Promise<Value> =>
    inOrder(async (simulation) => {
      await simulation.settle()
      return read(simulation)
    })
  const finished = ({ head }: Simulation): ServiceRuntimeError =>
    refused(409, 'execution_finished', `Execution ${executionId} is ${head().status}.`)

  const methods = {
    send: (event: string | EventReference, payload?: unknown) =>
      inOrder(async (simulation) => {
        await simulation.settle()
        const name = eventNameOf(event)
        const text = payloadText(name, payload)
        if (isTerminal(simulation.head().status)) throw finished(simulation)
        await refuseUnlessAccepted(text, `The payload of event "${name}"`, schemaOfEvent(definition.events, name))
        if (!simulation.send(name, text)) throw refused(429, 'rate_limited', bufferFull(executionId))
        await simulation.settle()
      }),
    cancel: () =>
      inOrder(async (simulation) => {
        await simulation.settle()
        const { status } = simulation.head()
        if (status === 'completed' || status === 'failed') throw finished(simulation)
        simulation.cancel()
        await simulation.settle()
      }),
    advance: (time: Duration | Date) => inOrder((simulation) => simulation.advance(endOfAdvance(time, clock.now))),
    status: () => settled(({ head }) => head().status),
    waitingFor: () => settled((simulation) => simulation.waitingFor()),
    history: () => settled(({ journal }) => journal.map(historyEntry)),
    outcome: () =>
      inOrder(async (simulation) => {
        await simulation.finish()
        return outcomeOf<AsJson<Result>>(simulation)
      }),
    result: () =>
      inOrder(async (simulation) => {
        await simulation.finish()
        const ended = outcomeOf<AsJson<Result>>(simulation)
        if (ended.status === 'completed') return ended.result
        throw executionEnded(executionId, ended.status, ended.status === 'failed' ? ended.error : undefined)
      }),
  }
  return Object.freeze({
    id: executionId,
    now: () => new Date(clock.now),
    send: located(methods.send),
    cancel: located(methods.cancel),
    advance: located(methods.advance),
    status: located(methods.status),
    waitingFor: located(methods.waitingFor),
    history: located(methods.history),
    outcome: located(methods.outcome),
    result: located(methods.result),
  })
}

/** Errors that already name a line of the test: a refused input rejects each call with the same one. */
const locatedErrors = new WeakSet<object>()

/** Errors of the method then name the line of the test that called it. A call that nobody awaits does not end the test. */
const located = <Given extends readonly unknown[], Value>(method: (...given: Given) => Promise<Value>) => {
  const called = (...given: Given): Promise<Value> => {
    const site = callSite(called)
    const answer = method(...given).catch((error: unknown) => {
      if (error instanceof Error && !locatedErrors.has(error)) {
        locatedErrors.add(error)
        addFrames(error, site)
      }
      throw error
    })
    answer.catch(() => {})
    return answer
  }
  return called
}

const bufferFull = (id: string): string =>
  `Execution ${id} has 10,000 events, or 64 MiB of them, that its Program has not taken yet.`

const endOfAdvance = (time: Duration | Date, now: number): number => {
  const end = typeof time === 'object' ? time.getTime() : now + durationOf(time, 'The time that advance() takes')
  if (Number.isNaN(end)) throw new TypeError('advance() takes a duration or a valid Date; got an invalid Date')
  return end
}

const startTime = (startAt: Date | string | number): number => {
  const now = new Date(startAt).getTime()
  if (Number.isNaN(now)) throw new TypeError('startAt takes a Date, an ISO 8601 text or milliseconds since 1970')
  return now
}

const outcomeOf = <Result>({ head, journal }: Simulation): Outcome<Result> => {
  const { status } = head()
  const data = journal.at(-1)?.data ?? '{}'
  if (status === 'completed') return { status, result: memberOf(data, 'result') as Result }
  if (status === 'failed') return { status, error: memberOf(data, 'error') as ExecutionError }
  return { status: 'cancelled' }
}

const historyEntry = ({ at, source, data, ...entry }: JournalEntry): HistoryEntry =>
  ({
    ...entry,
    at: new Date(at).toISOString(),
    ...(data === undefined ? {} : { data: JSON.parse(data) as unknown }),
  }) as HistoryEntry
