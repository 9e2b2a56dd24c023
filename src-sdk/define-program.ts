import type { AsJson } from './as-json.ts'
import type { Duration, EffectFunction, InputArgument, Log, RetryOptions } from './define-effect.ts'
import type { EventReference, ProgramReference } from './definitions.ts'
import type {
  Accepted,
  PartSchemas,
  PlainJsonSchema,
  Schema,
  StandardSchema,
  WholeSchema,
  WithoutSchemas,
} from './schema.ts'

export type WaitForEventOptions = {
  /** The default is to wait without a limit. */
  readonly timeout?: Duration
}

/** The options of a call. Defaults come from `defineEffect`, then from the service. */
export type EffectCallOptions = {
  readonly retry?: RetryOptions
  /** The time limit of each attempt. */
  readonly timeout?: Duration
}

/**
 * A Program's access to the outside: durable, and the same on replay. Several calls may be pending at once. When the
 * Execution is cancelled, every pending call rejects with a CancelledError.
 *
 * `EventName`: the names of the events that the Program declares; any name where it declares none.
 */
export type ProgramContext<EventName extends string = string> = {
  readonly executionId: string
  readonly programId: string
  readonly versionNumber: number
  /** Logs to the Execution's history. */
  readonly log: Log
  /**
   * Waits for the next event of that name and returns its payload. Events come in the order of arrival. Rejects with a
   * TimeoutError.
   */
  waitForEvent<Payload = unknown>(this: void, name: EventName, options?: WaitForEventOptions): Promise<Payload>
  waitForEvent<Payload>(
    this: void,
    event: EventReference<Payload, EventName>,
    options?: WaitForEventOptions,
  ): Promise<AsJson<Payload>>
  /** Waits that long, also across restarts. */
  sleep(this: void, duration: Duration): Promise<void>
  /** Waits until a date, ISO 8601 text, or milliseconds since 1970. */
  sleepUntil(this: void, date: Date | string | number): Promise<void>
  /** Runs an effect and returns its result, as JSON carries it. Rejects with an EffectError when no attempts are left. */
  effect<Result = unknown>(this: void, name: string, input?: unknown, options?: EffectCallOptions): Promise<Result>
  effect<Input, Result>(
    this: void,
    effect: EffectFunction<Input, Result>,
    ...rest: [...input: InputArgument<Input>, options?: EffectCallOptions]
  ): Promise<AsJson<Result>>
}

export type ProgramFunction<Input, Result, EventName extends string = string> = (
  ctx: ProgramContext<EventName>,
  input: Input,
) => Result | Promise<Result>

/** `Result`: what the Program returns. Callers get what JSON carries of it. */
export type ProgramDefinition<Input = unknown, Result = unknown> = ProgramReference<Input, AsJson<Result>> & {
  readonly description?: string
  /** The schema of the input; without one, any input is accepted. */
  readonly input?: Schema
  readonly events: readonly EventReference[]
  readonly label?: (input: Input) => string
  readonly run: (ctx: ProgramContext, input: Input) => Result | Promise<Result>
}

export type ProgramOptions<InputSchema, Input = unknown, EventName extends string = string> = {
  /** `^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`, unique in its project. */
  readonly id: string
  readonly description?: string
  readonly input?: InputSchema
  /** The events that the Program waits for, made with `defineEvent`. The service checks their payloads. */
  readonly events?: readonly EventReference<unknown, EventName>[]
  /**
   * A label for an Execution with this input, such as the order's number. Lists show its first 200 characters. Computed
   * once, before the first turn. When this throws or returns no text, the Execution has no label.
   */
  readonly label?: (input: Input) => string
}

/**
 * A Program: deterministic orchestration. All side effects belong in effects.
 *
 *     export default defineProgram({ id: 'hello', input: z.object({ name: z.string() }) }, async (ctx, input) => …)
 *
 * Without a schema, or with a JSON Schema, the input has the type of the function's parameter, and of the label's.
 */
export function defineProgram<Described extends StandardSchema, Result, EventName extends string = string>(
  options: ProgramOptions<Described, Accepted<Described>, EventName> & { readonly input: Described },
  run: ProgramFunction<Accepted<Described>, Result, EventName>,
): ProgramDefinition<Accepted<Described>, Result>
export function defineProgram<
  Result,
  Input = unknown,
  Described extends PlainJsonSchema = PlainJsonSchema,
  EventName extends string = string,
>(
  options: ProgramOptions<Described, Input, EventName> & { readonly input?: WithoutSchemas<Described> },
  run: ProgramFunction<Input, Result, EventName>,
): ProgramDefinition<Input, Result>
// Accepts no more than the first. TypeScript reports the error of the last one where none matches, and most Programs have such a schema.
export function defineProgram<
  Described extends StandardSchema | PartSchemas,
  Result,
  EventName extends string = string,
>(
  options: ProgramOptions<Described, Accepted<Described>, EventName> & { readonly input: WholeSchema<Described> },
  run: ProgramFunction<Accepted<Described>, Result, EventName>,
): ProgramDefinition<Accepted<Described>, Result>
// @__NO_SIDE_EFFECTS__
export function defineProgram<Input, Result>(
  { id, description, input, events = [], label }: ProgramOptions<Schema, Input>,
  run: ProgramFunction<Input, Result>,
): ProgramDefinition<Input, Result> {
  if (typeof id !== 'string' || typeof run !== 'function') {
    throw new TypeError('defineProgram takes options with an id, and the function that is the Program')
  }
  if (/Generator/.test(Object.prototype.toString.call(run))) {
    throw new TypeError(
      `The function of Program ${JSON.stringify(id)} is a generator, so its body would never run: write it without *, and return what it yields`,
    )
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
