// Runs a Program turn by turn. Each call of `ctx` makes a command and returns a promise that stays pending until a
// delivery settles it. The output of a turn is that of the sandbox.

import type { EffectFailure } from '../../src-runtime/engine/effect-attempts.ts'
import type {
  EffectOptions,
  Command,
  Delivery,
  Operation,
  TurnOutcome,
  TurnOutput,
} from '../../src-runtime/engine/turn.ts'
import { isEventName, NAME_LIMIT } from '../../src-runtime/shared/event-names.ts'
import type { Duration } from '../define-effect.ts'
import type { EffectCallOptions, ProgramContext, ProgramDefinition, WaitForEventOptions } from '../define-program.ts'
import { CancelledError, TimeoutError, type EffectError } from '../errors-for-authors.ts'
import { optionsOf } from './as-effects.ts'
import { callSite, replaceFrames } from './call-site.ts'
import { durationOf, LATEST_DATE_MS } from './duration-of.ts'
import { effectOptions, optionsOr } from './effect-options.ts'
import { newEffectError, programFailure } from './failures.ts'
import type { FakeFinder } from './fakes.ts'
import { adviceFor, faultOf, jsonObject, memberOf, promiseIn, travel, wellFormed } from './json-data.ts'
import { createProgramLog } from './log.ts'
import { inWorld, type World } from './world.ts'

const MOST_COMMANDS = 10_000
/** Characters of output in one turn. */
const MOST_OUTPUT = 16 * 1024 * 1024

export type ProgramUnderTest = {
  readonly turn: (delivery: Delivery) => Promise<TurnOutput>
  /** The `defineEffect` options of a called effect. */
  readonly effectDefaults: (name: string) => EffectOptions
  /** The function that the Program called, unless it called by name. */
  readonly calleeOf: (command: number) => object | undefined
  /** Has the stack of the call of a pending command. */
  readonly siteOf: (command: number) => Error | undefined
  /** The input of a pending effect; parsed anew, because a fake may change it. */
  readonly inputOf: (command: number) => unknown
}

type Pending = {
  readonly name: string
  /** Has the stack of the call. */
  readonly site: Error
  /** The arguments of the call, as the journal keeps them. */
  readonly data: string
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}
type WithoutNumber<Asked> = Asked extends unknown ? Omit<Asked, 'command'> : never

export const createProgramUnderTest = (
  definition: ProgramDefinition,
  executionId: string,
  outside: World,
  { nameOf, effectNamed }: Pick<FakeFinder, 'nameOf' | 'effectNamed'>,
): ProgramUnderTest => {
  const pending = new Map<number, Pending>()
  const callees = new Map<number, object>()
  const defaults = new Map<string, EffectOptions>()
  const cancellations = new WeakSet<object>()
  let operations: Operation[] = []
  let ending: TurnOutcome | undefined
  let lastCommand = 0
  let isTurn = false
  let broken: string | undefined
  let outputLength = 0

  /** Ends the Execution, without anything else of this turn. */
  const breakLimit = (message: string): never => {
    ending = { kind: 'failed', error: { code: 'history_limit_exceeded', message } }
    broken = message
    throw new Error(message)
  }

  /** `describe` throws for invalid arguments. Then there is no command, and the promise rejects. */
  const ask = (method: object, describe: () => WithoutNumber<Command>, callee?: unknown): Promise<never> => {
    if (broken !== undefined) throw new Error(broken) // a Program in an endless loop never awaits
    if (ending !== undefined) return new Promise<never>(() => {})
    if (lastCommand === MOST_COMMANDS) breakLimit(TOO_MANY_COMMANDS)
    if (!isTurn) return refusedOutside()
    return new Promise<unknown>((resolve, reject) => {
      const asked = describe()
      lastCommand += 1
      const command = { ...asked, command: lastCommand }
      operations.push(command)
      outputLength += lengthOf(command)
      if (outputLength > MOST_OUTPUT) breakLimit(TOO_MUCH_OUTPUT)
      const name = 'name' in asked ? asked.name : ''
      pending.set(lastCommand, { name, site: callSite(method), data: asked.data, resolve, reject })
      if (isObject(callee)) callees.set(lastCommand, callee)
    }) as Promise<never>
  }

  const timer = (dueAt: number) => ({ kind: 'timer', dueAt, data: JSON.stringify({ wakeAt: iso(dueAt) }) }) as const
  const dueAfter = (durationMs: number, what: string): number => {
    const dueAt = outside.now() + durationMs
    if (dueAt > LATEST_DATE_MS) throw new TypeError(`${what} ends later than any date can express`)
    return dueAt
  }
  const effectName = (effect: unknown): string => checkedName(isObject(effect) ? nameOf(effect) : effect, 'ctx.effect')

  const log = createProgramLog(
    (data) => void operations.push({ kind: 'log', data }),
    () => ending !== undefined,
  )

  /** Only a warning, as in the sandbox. */
  const warnOfPromise = (effect: string, input: unknown, text: string | undefined): void => {
    const name = promiseIn(input, text)
    if (name === '') return
    const what =
      name === '""' ? `The input of effect "${effect}"` : `The member ${name} of the input of effect "${effect}"`
    log.log.warn(`${what} is a promise, so the effect gets {} for it: await the promise first`)
  }

  const ctx: ProgramContext = Object.freeze({
    executionId,
    programId: definition.id,
    versionNumber: 1,
    log: log.log,
    sleep: (duration: Duration) =>
      ask(ctx.sleep, () => timer(dueAfter(durationOf(duration, 'The time that ctx.sleep takes'), 'ctx.sleep'))),
    sleepUntil: (date: Date | string | number) => ask(ctx.sleepUntil, () => timer(dateMs(date))),
    waitForEvent: (event: string | { readonly name: string }, options?: WaitForEventOptions) =>
      ask(ctx.waitForEvent, () => {
        const name = checkedName(isObject(event) ? event.name : event, 'ctx.waitForEvent')
        const { timeout } = optionsOr(options, 'ctx.waitForEvent')
        if (timeout === undefined) return { kind: 'wait', name, data: '{}' }
        const dueAt = dueAfter(durationOf(timeout, 'The timeout of ctx.waitForEvent'), 'ctx.waitForEvent')
        return { kind: 'wait', name, dueAt, data: JSON.stringify({ timeoutAt: iso(dueAt) }) }
      }),
    effect: (effect: string | object, input?: unknown, given?: EffectCallOptions) => {
      const describe = () => {
        const name = effectName(effect)
        const options = effectOptions(given)
        const inputData = inputText(name, input)
        warnOfPromise(name, input, inputData)
        const called = typeof effect === 'string' ? effectNamed(name) : effect
        if (called !== undefined) defaults.set(name, effectOptions(optionsOf(called)))
        const { retry, timeoutMs } = options
        const data = jsonObject({
          input: inputData,
          retry: retry && JSON.stringify(retry),
          timeoutMs: timeoutMs?.toString(),
        })
        return { kind: 'effect', name, options, data } as const
      }
      return ask(ctx.effect, describe, effect)
    },
  })

  const onUnhandled = (reason: unknown): void => {
    if (!(isObject(reason) && cancellations.has(reason))) log.log.error('Unhandled rejection:', reason)
  }

  const run = async (input: unknown): Promise<void> => {
    let outcome: TurnOutcome
    try {
      outcome = completed(await definition.run(ctx, input))
    } catch (error) {
      outcome = { kind: 'failed', error: programFailure(error) }
    }
    ending ??= outcome
  }

  const take = (command: number): Pending | undefined => {
    const found = pending.get(command)
    pending.delete(command)
    return found
  }

  const deliver = (delivery: Delivery): void => {
    switch (delivery.kind) {
      case 'start':
        return void run(memberOf(delivery.data, 'input'))
      case 'timer':
        return take(delivery.command)?.resolve(undefined)
      case 'event':
        return take(delivery.command)?.resolve(memberOf(delivery.data, 'payload'))
      case 'wait_timeout':
        return fail(take(delivery.command), new TimeoutError(`No event "${delivery.name}" came in time`))
      case 'effect_result':
        return take(delivery.command)?.resolve(memberOf(delivery.data, 'result'))
      case 'effect_failure':
        return fail(take(delivery.command), effectError(delivery.data))
      case 'cancel': {
        const asked = [...pending.values()]
        pending.clear()
        for (const one of asked) {
          const error = new CancelledError('The Execution was cancelled')
          cancellations.add(error)
          fail(one, error)
        }
      }
    }
  }

  return {
    turn: async (delivery) => {
      await inWorld({ ...outside, program: ctx, console: log.console, onUnhandled }, () => {
        isTurn = true
        deliver(delivery)
      })
      isTurn = false
      const dropped = log.endTurn()
      if (dropped !== undefined) operations.push({ kind: 'log', data: dropped })
      const output = {
        operations: broken === undefined ? operations : [],
        outcome: ending ?? ({ kind: 'suspended' } as const),
      }
      operations = []
      outputLength = 0
      return output
    },
    effectDefaults: (name) => defaults.get(name) ?? {},
    calleeOf: (command) => callees.get(command),
    siteOf: (command) => pending.get(command)?.site,
    inputOf: (command) => memberOf(pending.get(command)?.data ?? '{}', 'input'),
  }
}

const fail = (pending: Pending | undefined, error: Error): void => {
  if (pending === undefined) return
  replaceFrames(error, pending.site)
  pending.reject(error)
}

/** Rejected outside of a turn, where an unhandled rejection would fail another test. */
const refusedOutside = (): Promise<never> => {
  const refused = Promise.reject<never>(new Error(OUTSIDE_TURN))
  refused.catch(() => {})
  return refused
}

const OUTSIDE_TURN =
  'The Program used ctx after it awaited something else: a Program may await only promises of ctx and its effects, or it could not be replayed'
const TOO_MANY_COMMANDS =
  'The Program asked for more than 10,000 effects, timers and waits. Let one effect do several steps, or divide the work among several Executions'
const TOO_MUCH_OUTPUT =
  'The Program asked for more than 16 MiB in one turn. Give effects less input, for instance the id of stored data, or await some before the next ones'

/** The characters of a command in the output of the sandbox (src-runtime/sandbox/guest/output.js). */
const lengthOf = (command: Command): number => {
  const head = `e${command.command} \n`.length
  switch (command.kind) {
    case 'effect':
      return (
        head + JSON.stringify(command.name).length + command.data.length + JSON.stringify(command.options).length + 2
      )
    case 'timer':
      return head + String(command.dueAt).length
    case 'wait':
      return head + String(command.dueAt ?? '-').length + JSON.stringify(command.name).length + 1
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()

const completed = (returned: unknown): TurnOutcome => {
  const result = travel(returned)
  if (result.kind === 'value') {
    const name = promiseIn(returned, result.text)
    if (name === '') return { kind: 'completed', data: jsonObject({ result: result.text }) }
    const message = `The result is not JSON: its member ${name} is a promise, which has to be awaited first`
    return { kind: 'failed', error: { code: 'invalid_result', message } }
  }
  const code = result.kind === 'too_large' ? 'result_too_large' : 'invalid_result'
  const advice = result.kind === 'not_json' || result.kind === 'other_type' ? adviceFor(returned) : ''
  return { kind: 'failed', error: { code, message: `The result ${faultOf(result)}${advice}` } }
}

const dateMs = (date: Date | string | number): number => {
  const isDate = typeof date === 'number' || typeof date === 'string' || date instanceof Date
  const ms = isDate ? new Date(date).getTime() : Number.NaN
  if (Math.abs(ms) <= LATEST_DATE_MS) return Math.trunc(ms)
  throw new TypeError('ctx.sleepUntil takes a Date, an ISO 8601 text or milliseconds since 1970')
}

/** Of an event or an effect. */
const checkedName = (given: unknown, what: string): string => {
  const name = typeof given === 'string' ? wellFormed(given) : ''
  if (name.includes('\0')) throw new TypeError(`${what} needs a name without U+0000`)
  if (isEventName(name)) return name
  throw new TypeError(`${what} needs a name of 1 to ${NAME_LIMIT} characters, or a definition that has one`)
}

/** Code without types may pass anything. */
const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

const inputText = (name: string, given: unknown): string | undefined => {
  const input = travel(given)
  if (input.kind === 'value') return input.text
  const message = `The input of effect "${name}" ${faultOf(input)}`
  throw input.kind === 'too_large' ? newEffectError(message, { code: 'result_too_large' }) : new TypeError(message)
}

const effectError = (data: string): EffectError => {
  const { code, message, name, stack, cause: inner } = memberOf(data, 'error') as EffectFailure
  if (name === undefined) return newEffectError(message, { code })
  const cause = { name, message, code }
  // Not enumerable, as in the sandbox.
  if (stack !== undefined) Object.defineProperty(cause, 'stack', { value: stack })
  if (inner !== undefined) Object.defineProperty(cause, 'cause', { value: inner })
  return newEffectError(message, { code, cause })
}
