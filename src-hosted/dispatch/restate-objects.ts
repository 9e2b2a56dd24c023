// What Restate calls. It runs one handler at a time for each key, and again until the handler has ended. A handler keeps
// nothing in Restate: it does its work in one step, whose answer says which messages follow.

import * as restate from '@restatedev/restate-sdk'
import type { Performed, Visited, Why, Work } from './dispatcher.ts'
import { effectKey } from './effect-key.ts'
import { TRACE_HEADER } from './trace-header.ts'

/**
 * Part of a worker's address. A worker cannot continue what a worker with other steps began, so it counts as another
 * deployment: increase this number whenever the steps of a handler change, or its options, which Restate reads only once at an address.
 */
export const HANDLERS_VERSION = 3

const SECOND = 1_000
const HOUR = 3_600 * SECOND

const OPTIONS: restate.ObjectOptions = {
  journalRetention: 0,
  idempotencyRetention: 0,
  enableLazyState: true,
  // A visit waits for its turn in a worker that has much to do. If it were given up and called again, it would wait behind all others. A
  // worker that is gone or silent shows by its connection.
  inactivityTimeout: HOUR,
  abortTimeout: 30 * SECOND,
  // Kill, do not pause: the sweeper sends a killed invocation again, and a paused one would block its key for ever.
  retryPolicy: {
    initialInterval: 50,
    exponentiationFactor: 2,
    maxInterval: 2 * SECOND,
    maxAttempts: 1_000_000,
    onMaxAttempts: 'kill',
  },
}

/**
 * A message to the key of the handler that sends it would wait for that handler in a queue of Restate, where each look passes all that
 * the queue has had since Restate last tidied up: so each attempt would take longer than the one before. A message that comes once the
 * handler has ended does not go into the queue.
 */
const AFTER_HANDLER_MS = 20

/** An attempt of an effect ends by the effect's own time limit. */
const EFFECT_OPTIONS: restate.ObjectOptions = { ...OPTIONS, inactivityTimeout: 24 * HOUR }

type Handlers = {
  readonly Execution: { deliver(message: { readonly why: Why }): Promise<void> }
  readonly Effect: { perform(message: { readonly attempt: number }): Promise<void> }
  readonly Schedule: { fire(message: { readonly at: number }): Promise<void> }
}

type Name = keyof Handlers

export const restateObjects = (work: Work) => {
  /** Handed on as it came: the steps of a handler may not depend on whether this worker is traced. */
  const traceOf = (ctx: restate.ObjectContext): string | undefined => ctx.request().headers.get(TRACE_HEADER)

  /** Restate closes its connections to a worker that is silent for 25 s, and calls the handlers again. */
  const droppedOf = (ctx: restate.ObjectContext): AbortSignal => ctx.request().attemptCompletedSignal

  const send = <Message>(
    ctx: restate.ObjectContext,
    service: Name,
    key: string,
    method: string,
    parameter: Message,
    delayMs: number,
    trace?: string,
  ): void => {
    const inputSerde = restate.serde.json as restate.Serde<Message>
    ctx.genericSend({
      service,
      method,
      key,
      parameter,
      inputSerde,
      ...(delayMs > 0 && { delay: Math.ceil(delayMs) }),
      ...(trace !== undefined && { headers: { [TRACE_HEADER]: trace } }),
    })
  }

  const deliver = async (ctx: restate.ObjectContext, { why }: { readonly why: Why }): Promise<void> => {
    const id = ctx.key
    const trace = traceOf(ctx)
    const visited: Visited = await ctx.run('visit', () => work.visit(id, ctx.request().id, why, trace, droppedOf(ctx)))
    for (const { command, attempt, delayMs } of visited.attempts) {
      send(ctx, 'Effect', effectKey(id, command), 'perform', { attempt }, delayMs, trace)
    }
    const { next } = visited
    if (next !== undefined) send(ctx, 'Execution', id, 'deliver', { why: next.why }, next.delayMs, trace)
  }

  const perform = async (ctx: restate.ObjectContext, { attempt }: { readonly attempt: number }): Promise<void> => {
    const [executionId = '', command = ''] = ctx.key.split('.')
    const trace = traceOf(ctx)
    const performed: Performed = await ctx.run('attempt', () =>
      work.perform({ executionId, command: Number(command), attempt }, ctx.request().id, trace),
    )
    if (performed.kind === 'poke') send(ctx, 'Execution', executionId, 'deliver', { why: 'effect' }, 0, trace)
    if (performed.kind !== 'again') return
    const delayMs = Math.max(performed.delayMs, AFTER_HANDLER_MS)
    send(ctx, 'Effect', ctx.key, 'perform', { attempt: performed.attempt }, delayMs, trace)
  }

  /**
   * Messages of releases that kept times of schedules in Restate end here: workers find due schedules in PostgreSQL. It has the steps of
   * those releases, because it may go on with what their workers began.
   */
  const fire = async (ctx: restate.ObjectContext): Promise<void> => {
    const { next } = await ctx.run(
      'fire',
      (): { readonly next?: { readonly at: number; readonly delayMs: number } } => ({}),
    )
    if (next !== undefined) send(ctx, 'Schedule', ctx.key, 'fire', { at: next.at }, next.delayMs)
  }

  return [
    restate.object({ name: 'Execution' satisfies Name, handlers: { deliver }, options: OPTIONS }),
    restate.object({ name: 'Effect' satisfies Name, handlers: { perform }, options: EFFECT_OPTIONS }),
    restate.object({ name: 'Schedule' satisfies Name, handlers: { fire }, options: OPTIONS }),
  ]
}
