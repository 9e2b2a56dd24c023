// An Execution in a test: what a client can do with one, and what only a test can, which is to move the clock.

import type { ExecutionError, ExecutionStatus, HistoryEntry, JsonValue, Waiting } from '../contract-types.ts'
import type { Duration, InputArgument } from '../define-effect.ts'
import type { ProgramDefinition } from '../define-program.ts'
import type { EventReference } from '../definitions.ts'
import type { PayloadArgument } from '../execution-handle.ts'
import { executionEnded, ServiceRuntimeError } from '../service-runtime-error.ts'
import { durationMs } from './durations.ts'
import { createFakeFinder, type Fakes } from './fakes.ts'
import { present, travel } from './json-data.ts'
import { refuseUnlessAccepted, schemaOfEvent } from './schema-check.ts'
import { createSimulation } from './simulation.ts'
import { isOver, record, waitingFor, type State } from './state.ts'

export type TestOptions = {
  /** What answers in place of effects. Every effect that the Program calls needs one. */
  readonly effects?: Fakes
  /** What the clock shows at first: 2026-01-01T00:00:00.000Z when left out. */
  readonly startAt?: Date | string | number
  /** `exe_test` when left out. Random numbers follow from it. */
  readonly executionId?: string
}

export type Outcome<Result> =
  | { readonly status: 'completed'; readonly result: Result }
  | { readonly status: 'failed'; readonly error: ExecutionError }
  | { readonly status: 'cancelled' }

/**
 * One Execution under test. It does what it can without the clock whenever it is asked something, so each promise settles
 * when the Program waits again. Functions take effect in the order in which they are called.
 */
export type TestExecution<Result = unknown> = {
  readonly id: string
  /** What the Execution's clock shows. */
  now(): Date
  /** Delivers an event, as a client does. Rejects with a ServiceRuntimeError where the service would refuse it. */
  send(event: string, payload?: unknown): Promise<void>
  send<Payload>(event: EventReference<Payload>, ...payload: PayloadArgument<Payload>): Promise<void>
  /** Cancels, as a client does, and runs the clean-up as far as it gets without the clock. */
  cancel(): Promise<void>
  /** Lets time pass, or goes to a moment: timers fire, timeouts and retries happen, each at its own time. */
  advance(time: Duration | Date): Promise<void>
  status(): Promise<ExecutionStatus>
  waitingFor(): Promise<readonly Waiting[]>
  history(): Promise<readonly HistoryEntry[]>
  /** Goes on to the end, over all the time that it takes, and answers what the Program returned. Rejects as a client's `result()` does. */
  result(): Promise<Result>
  /** The same, without rejecting: how it ended. */
  outcome(): Promise<Outcome<Result>>
}

const START_AT = '2026-01-01T00:00:00.000Z'
const MOST_EVENTS = 10_000

/** Starts an Execution of a Program in this process, with fake effects and a clock that the test moves. */
export const createTestExecution = <Input, Result>(
  definition: ProgramDefinition<Input, Result>,
  ...rest: [...input: InputArgument<Input>, options?: TestOptions]
): TestExecution<Result> => {
  const [input, options = {}] = rest as unknown as [input?: unknown, options?: TestOptions]
  const { effects = {}, startAt = START_AT, executionId = 'exe_test' } = options
  const state = newState(startAt)
  const simulation = createSimulation(definition as ProgramDefinition, executionId, state, createFakeFinder(effects))
  let events = 0

  const begun = accepted(input, 'The input', definition.input).then((value) =>
    record(state, { type: 'execution_started', data: present({ input: value }) }),
  )
  let last: Promise<unknown> = begun.catch(() => {})
  /** One thing after the other; an input that is refused is told by all of them. */
  const inOrder = <Value>(act: () => Promise<Value>): Promise<Value> => {
    const acted = last.then(() => begun).then(act)
    last = acted.catch(() => {})
    return acted
  }
  inOrder(simulation.settle).catch(() => {}) // what is wrong is told to whoever asks next

  const settled = <Value>(read: () => Value): Promise<Value> =>
    inOrder(async () => {
      await simulation.settle()
      return read()
    })

  const outcome = async (): Promise<Outcome<Result>> => {
    await simulation.finish()
    return outcomeOf<Result>(state)
  }

  return Object.freeze({
    id: executionId,
    now: () => new Date(state.now),
    send: (event: string | EventReference, payload?: unknown) =>
      inOrder(async () => {
        await simulation.settle()
        const name = typeof event === 'string' ? event : event.name
        if (name.length < 1 || name.length > 200)
          throw refused(400, 'invalid_request', 'An event has a name of 1 to 200 characters')
        const value = await accepted(payload, `The payload of event "${name}"`, schemaOfEvent(definition.events, name))
        if (isOver(state)) throw refused(409, 'execution_finished', `Execution ${executionId} is ${state.status}`)
        if (state.buffered.length >= MOST_EVENTS)
          throw refused(429, 'rate_limited', 'Too many events wait to be delivered')
        events += 1
        const id = `evt_${events}`
        record(state, { type: 'event_received', name, data: present({ id, payload: value }) })
        state.buffered.push({ id, name, receivedAt: state.now, payload: value })
        await simulation.settle()
      }),
    cancel: () =>
      inOrder(async () => {
        await simulation.settle()
        if (state.status === 'completed' || state.status === 'failed') {
          throw refused(409, 'execution_finished', `Execution ${executionId} is ${state.status}`)
        }
        if (state.cancelRequestedAt !== undefined) return
        state.cancelRequestedAt = state.now
        state.status = 'cancelling'
        await simulation.settle()
      }),
    advance: (time: Duration | Date) =>
      inOrder(() =>
        simulation.advance(
          typeof time === 'object' ? time.getTime() : state.now + durationMs(time, 'The time that advance() takes'),
        ),
      ),
    status: () => settled(() => state.status),
    waitingFor: () => settled(() => waitingFor(state)),
    history: () => settled(() => [...state.history]),
    outcome: () => inOrder(outcome),
    result: () =>
      inOrder(async () => {
        const ended = await outcome()
        if (ended.status === 'completed') return ended.result
        throw executionEnded(executionId, ended.status, ended.status === 'failed' ? ended.error : undefined)
      }),
  })
}

const newState = (startAt: Date | string | number): State => {
  const now = new Date(startAt).getTime()
  if (Number.isNaN(now)) throw new TypeError('startAt takes a Date, an ISO 8601 text or milliseconds since 1970')
  return { now, status: 'queued', open: new Map(), buffered: [], answers: [], cancelDelivered: false, history: [] }
}

const outcomeOf = <Result>({ status, ending }: State): Outcome<Result> => {
  if (status === 'cancelled' || ending === undefined) return { status: 'cancelled' }
  return ending.kind === 'completed'
    ? { status: 'completed', result: ending.result as Result }
    : { status: 'failed', error: ending.error }
}

/** What was sent, as it arrives. */
const accepted = async (given: unknown, what: string, schema: unknown): Promise<JsonValue | undefined> => {
  const travelled = travel(given)
  switch (travelled.kind) {
    case 'invalid':
      throw refused(400, 'invalid_request', `${what} is not JSON: ${travelled.why}`)
    case 'too_large':
      throw refused(413, 'payload_too_large', `${what} is ${travelled.bytes} bytes, more than 1048576`)
    case 'value':
      await refuseUnlessAccepted(travelled.value, what, schema)
      return travelled.value
  }
}

const refused = (status: number, code: string, message: string): ServiceRuntimeError =>
  new ServiceRuntimeError({ status, code, message })
