// `ctx` of a Program under test: each call opens a command and answers a promise that stays pending until a delivery
// settles it.

import type { HistoryEntry, JsonValue } from '../contract-types.ts'
import type { Duration, Log } from '../define-effect.ts'
import type { EffectCallOptions, ProgramContext, WaitForEventOptions } from '../define-program.ts'
import { CancelledError, EffectError, TimeoutError } from '../errors-for-authors.ts'
import { durationMs, LATEST_DATE_MS } from './durations.ts'
import { type EffectCallee, policyOf, policyText } from './effect-policy.ts'
import { present, travel } from './json-data.ts'
import { logOf } from './log.ts'
import { iso, record, type Delivery, type OpenCommand, type State } from './state.ts'

const MOST_COMMANDS = 10_000
const LONGEST_NAME = 200

type Pending = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }

export type ContextUnderTest = {
  readonly ctx: ProgramContext
  readonly settle: (delivery: Delivery) => void
}

export const createContext = (
  identity: { readonly executionId: string; readonly programId: string; readonly nameOf: (effect: object) => string },
  state: State,
  isTurn: () => boolean,
): ContextUnderTest => {
  const pending = new Map<number, Pending>()
  let lastCommand = 0

  /** `open` throws for what the author got wrong; then there is no command, and the promise rejects. */
  const ask = (open: (command: number) => readonly [OpenCommand, Omit<HistoryEntry, 'position' | 'at'>]) => {
    if (state.ending !== undefined) return new Promise<never>(() => {})
    if (lastCommand === MOST_COMMANDS) {
      state.ending = { kind: 'failed', error: { code: 'history_limit_exceeded', message: TOO_MANY_COMMANDS } }
      throw new Error(TOO_MANY_COMMANDS) // at once, because a Program that asks in an endless loop never awaits
    }
    const promise = new Promise<unknown>((resolve, reject) => {
      if (!isTurn()) throw new Error(OUTSIDE_TURN)
      const [command, entry] = open(lastCommand + 1)
      lastCommand += 1
      state.open.set(command.command, command)
      record(state, { ...entry, command: command.command })
      pending.set(command.command, { resolve, reject })
    })
    // What nobody waits for any more is no news when the Execution is cancelled.
    promise.catch(() => {})
    return promise
  }

  const timer = (command: number, dueAt: number) =>
    [
      { kind: 'timer', command, since: state.now, dueAt },
      { type: 'timer_scheduled', data: { wakeAt: iso(dueAt) } },
    ] as const

  const ctx: ProgramContext = Object.freeze({
    executionId: identity.executionId,
    programId: identity.programId,
    versionNumber: 1,
    log: guarded(logOf(state), state),
    sleep: (duration: Duration) =>
      ask((command) => timer(command, dueAfter(state, duration, 'The time that ctx.sleep takes'))) as Promise<void>,
    sleepUntil: (date: Date | string | number) => ask((command) => timer(command, dateMs(date))) as Promise<void>,
    waitForEvent: <Payload>(event: string | { readonly name: string }, options?: WaitForEventOptions) =>
      ask((command) => {
        const name = eventName(event)
        const timeout = options?.timeout
        const dueAt = timeout === undefined ? undefined : dueAfter(state, timeout, 'The timeout of ctx.waitForEvent')
        return [
          { kind: 'event', command, since: state.now, name, ...(dueAt === undefined ? {} : { dueAt }) },
          { type: 'wait_scheduled', name, data: present({ timeoutAt: dueAt === undefined ? undefined : iso(dueAt) }) },
        ]
      }) as Promise<Payload>,
    effect: <Result>(effect: string | object, given?: unknown, options?: EffectCallOptions) =>
      ask((command) => {
        const callee: EffectCallee =
          typeof effect === 'string' ? { name: effect } : { name: identity.nameOf(effect), reference: effect }
        const { name } = callee
        const input = inputOf(name, given)
        const policy = policyOf(callee, options)
        return [
          {
            kind: 'effect',
            command,
            since: state.now,
            ...callee,
            input,
            policy,
            attempt: 1,
            phase: 'due',
            dueAt: state.now,
          },
          { type: 'effect_scheduled', name, data: present({ input, ...policyText(options) }) },
        ]
      }) as Promise<Result>,
  })

  const take = (command: number): Pending | undefined => {
    const found = pending.get(command)
    pending.delete(command)
    return found
  }

  return {
    ctx,
    settle: (delivery) => {
      switch (delivery.kind) {
        case 'start':
          return
        case 'timer':
          return take(delivery.timer.command)?.resolve(undefined)
        case 'event':
          return take(delivery.wait.command)?.resolve(delivery.event.payload)
        case 'wait_timeout':
          return take(delivery.wait.command)?.reject(new TimeoutError(`No event "${delivery.wait.name}" came in time`))
        case 'effect': {
          const { answer } = delivery
          const asked = take(answer.command)
          return answer.ok ? asked?.resolve(answer.result) : asked?.reject(effectError(answer.failure))
        }
        case 'cancel': {
          const asked = [...pending.values()]
          pending.clear()
          for (const { reject } of asked) reject(new CancelledError('The Execution was cancelled'))
        }
      }
    },
  }
}

const OUTSIDE_TURN =
  'ctx was used after something that is not of ctx: a Program awaits only what ctx and its effects answer, or it would not replay'
const TOO_MANY_COMMANDS = `The Program asked for more than ${MOST_COMMANDS} effects, timers and events`

const guarded = (log: Log, state: State): Log => {
  const unlessOver =
    (write: (...values: unknown[]) => void) =>
    (...values: unknown[]): void => {
      if (state.ending === undefined) write(...values)
    }
  return Object.freeze({
    debug: unlessOver(log.debug),
    info: unlessOver(log.info),
    warn: unlessOver(log.warn),
    error: unlessOver(log.error),
  })
}

const dueAfter = (state: State, duration: Duration, what: string): number => {
  const dueAt = state.now + durationMs(duration, what)
  if (dueAt > LATEST_DATE_MS) throw new TypeError(`${what} ends later than any date can express`)
  return dueAt
}

const dateMs = (date: Date | string | number): number => {
  const ms = typeof date === 'number' ? date : new Date(date).getTime()
  if (Math.abs(ms) <= LATEST_DATE_MS) return Math.trunc(ms)
  throw new TypeError('ctx.sleepUntil takes a Date, an ISO 8601 text or milliseconds since 1970')
}

const eventName = (event: string | { readonly name: string }): string => {
  const name = typeof event === 'string' ? event : event.name
  if (typeof name === 'string' && name !== '' && name.length <= LONGEST_NAME) return name
  throw new TypeError(`ctx.waitForEvent needs a name of 1 to ${LONGEST_NAME} characters, or a definition that has one`)
}

const inputOf = (name: string, given: unknown): JsonValue | undefined => {
  const input = travel(given)
  switch (input.kind) {
    case 'value':
      return input.value
    case 'invalid':
      throw new TypeError(`The input of effect "${name}" is not JSON: ${input.why}`)
    case 'too_large':
      throw new EffectError(`The input of effect "${name}" is larger than 1048576 bytes`, { code: 'result_too_large' })
  }
}

const effectError = ({ code, message, name }: { code: string; message: string; name?: string }): EffectError =>
  new EffectError(message, { code, ...(name === undefined ? {} : { cause: { name, message, code } }) })
