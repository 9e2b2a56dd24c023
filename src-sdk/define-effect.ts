import type { AsJson, Sendable } from './as-json.ts'
import { web, type WebAbortSignal } from './web-platform.ts'

type Unit =
  | 'ms'
  | 'msec'
  | 'msecs'
  | 'millisecond'
  | 'milliseconds'
  | 's'
  | 'sec'
  | 'secs'
  | 'second'
  | 'seconds'
  | 'm'
  | 'min'
  | 'mins'
  | 'minute'
  | 'minutes'
  | 'h'
  | 'hr'
  | 'hrs'
  | 'hour'
  | 'hours'
  | 'd'
  | 'day'
  | 'days'
  | 'w'
  | 'week'
  | 'weeks'

/** Milliseconds, or text such as `"90s"`, `"2h"`, `"7 days"`, `"1h 30m"`. */
export type Duration = number | `${number}${'' | ' '}${Unit}${'' | ` ${string}`}`

/**
 * How often a failed effect is retried. Defaults: 10 attempts, 500 ms, doubling, at most 60 s (or `initialInterval`,
 * where that is longer). Intervals are at most 365 days.
 */
export type RetryOptions = {
  /** 1 to 1,000,000. The first attempt counts: 1 means no retry. */
  readonly maxAttempts?: number
  /** The pause between the first attempt and the second. */
  readonly initialInterval?: Duration
  /** 1 to 100; each interval is the previous one multiplied by this. */
  readonly backoffCoefficient?: number
  /** No pause is longer. */
  readonly maxInterval?: Duration
}

export type EffectOptions = {
  /** Without it, 10 attempts. */
  readonly retry?: RetryOptions
  /** The time limit of each attempt; 5 minutes by default. */
  readonly timeout?: Duration
}

export type Log = {
  debug(...values: unknown[]): void
  info(...values: unknown[]): void
  warn(...values: unknown[]): void
  error(...values: unknown[]): void
}

/** What an effect receives beside its input. */
export type EffectContext = {
  readonly executionId: string
  /** From 1. */
  readonly attempt: number
  /** The same in all attempts. Pass it to services that use such a key to detect repeated requests. */
  readonly idempotencyKey: string
  /** Aborts at the timeout, and when the Execution no longer wants the result. */
  readonly signal: WebAbortSignal
  /** Logs to the Execution's history. */
  readonly log: Log
}

/** A function that can be an effect: exported by a `*.effects.ts` module as it is, or through `defineEffect`. */
export type EffectFunction<Input, Result> = (input: Input, context: EffectContext) => Result | Promise<Result>

/** An input may be left out only where its type allows it. */
export type InputArgument<Input> = undefined extends Input ? [input?: Sendable<Input>] : [input: Sendable<Input>]

export type EffectDefinition<Input, Result> = {
  /**
   * In a Program, schedules the effect. Elsewhere, such as in a test, calls the function. Both return what is left of
   * its result as JSON.
   */
  (...args: InputArgument<Input>): Promise<AsJson<Result>>
  /** Calls the function, and returns its result as it is. */
  (input: Input, context: EffectContext): Promise<Result>
  readonly name: string
}

const options = Symbol.for('wes.effect')

/**
 * An effect with its own retry policy or timeout. Its name is that of its export in a `*.effects.ts` module.
 *
 *     export const notify = defineEffect({ retry: { maxAttempts: 8 }, timeout: '10s' }, async (input: { to: string }) => …)
 */
// @__NO_SIDE_EFFECTS__
export function defineEffect<Result, Input = unknown>(
  effectOptions: EffectOptions,
  run: EffectFunction<Input, Result>,
): EffectDefinition<Input, Result> {
  if (typeof effectOptions !== 'object' || effectOptions === null || typeof run !== 'function') {
    throw new TypeError('defineEffect takes the options of an effect, and its function')
  }
  const effect = async (input: Input, context?: EffectContext): Promise<unknown> =>
    context === undefined ? asJson(await run(input, outsideExecution())) : run(input, context)
  Object.defineProperty(effect, options, { value: Object.freeze({ ...effectOptions }) })
  return effect as unknown as EffectDefinition<Input, Result>
}

const asJson = (result: unknown): unknown => {
  const text = JSON.stringify(result) as string | undefined
  return text === undefined ? undefined : JSON.parse(text)
}

const ignore = (): void => undefined

const outsideExecution = (): EffectContext => ({
  executionId: 'none',
  attempt: 1,
  idempotencyKey: 'none',
  signal: new web.AbortController().signal,
  log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
})
