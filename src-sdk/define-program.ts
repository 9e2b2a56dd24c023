import type { Duration, EffectFunction, InputArgument, Log, RetryOptions } from './define-effect.ts'
import type { EventReference, ProgramReference } from './definitions.ts'
import type { Accepted, PlainJsonSchema, Schema, StandardSchema } from './schema.ts'

export type WaitForEventOptions = {
  /** Without it, waits for ever. */
  readonly timeout?: Duration
}

/** What a call says beside the input; what it leaves out comes from `defineEffect`, then from the defaults. */
export type EffectCallOptions = {
  readonly retry?: RetryOptions
  /** Of each attempt. */
  readonly timeout?: Duration
}

/**
 * What a Program does to the world goes through here, is durable, and replays the same. Several calls may be pending at
 * once. When the Execution is cancelled, whatever is awaited rejects with a CancelledError.
 */
export type ProgramContext = {
  readonly executionId: string
  readonly programId: string
  readonly versionNumber: number
  /** Goes into the Execution's history. */
  readonly log: Log
  /** The payload of the next event of that name, in the order of arrival. Rejects with a TimeoutError. */
  waitForEvent<Payload>(event: EventReference<Payload>, options?: WaitForEventOptions): Promise<Payload>
  waitForEvent<Payload = unknown>(name: string, options?: WaitForEventOptions): Promise<Payload>
  sleep(duration: Duration): Promise<void>
  /** A date, ISO 8601 text, or milliseconds since 1970. */
  sleepUntil(date: Date | string | number): Promise<void>
  /** The effect's result. Rejects with an EffectError when it failed for good. */
  effect<Input, Result>(
    effect: EffectFunction<Input, Result>,
    ...rest: [...input: InputArgument<Input>, options?: EffectCallOptions]
  ): Promise<Result>
  effect<Result = unknown>(name: string, input?: unknown, options?: EffectCallOptions): Promise<Result>
}

export type ProgramFunction<Input, Result> = (ctx: ProgramContext, input: Input) => Result | Promise<Result>

export type ProgramDefinition<Input = unknown, Result = unknown> = ProgramReference<Input, Result> & {
  readonly description?: string
  /** What inputs are checked against; anything goes when there is none. */
  readonly input?: Schema
  readonly events: readonly EventReference[]
  readonly label?: (input: Input) => string
  readonly run: (ctx: ProgramContext, input: Input) => Result | Promise<Result>
}

export type ProgramOptions<InputSchema, Input = unknown> = {
  /** `^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`, unique in its project. */
  readonly id: string
  readonly description?: string
  readonly input?: InputSchema
  /** The events that it waits for, as `defineEvent` made them. Payloads of these are checked. */
  readonly events?: readonly EventReference[]
  /**
   * What people call an Execution with this input, such as the order's number: lists show the first 200 characters.
   * Computed once, before the first turn. An Execution has no label when this throws, or returns no text.
   */
  readonly label?: (input: Input) => string
}

/**
 * A Program: deterministic orchestration. Everything that touches the world belongs into effects.
 *
 *     export default defineProgram({ id: 'hello', input: z.object({ name: z.string() }) }, async (ctx, input) => …)
 *
 * Without a schema, or with a JSON Schema, the input's type is what the function says it takes.
 */
export function defineProgram<Described extends StandardSchema, Result>(
  options: ProgramOptions<Described, Accepted<Described>> & { readonly input: Described },
  run: ProgramFunction<Accepted<Described>, Result>,
): ProgramDefinition<Accepted<Described>, Result>
export function defineProgram<Result, Input = unknown>(
  options: ProgramOptions<PlainJsonSchema, NoInfer<Input>>,
  run: ProgramFunction<Input, Result>,
): ProgramDefinition<Input, Result>
// @__NO_SIDE_EFFECTS__
export function defineProgram<Input, Result>(
  { id, description, input, events = [], label }: ProgramOptions<Schema, Input>,
  run: ProgramFunction<Input, Result>,
): ProgramDefinition<Input, Result> {
  if (typeof id !== 'string' || typeof run !== 'function') {
    throw new TypeError('defineProgram takes options with an id, and the function that is the Program')
  }
  return Object.freeze({
    id,
    ...(description === undefined ? {} : { description }),
    ...(input === undefined ? {} : { input }),
    events,
    ...(label === undefined ? {} : { label }),
    run,
  })
}
