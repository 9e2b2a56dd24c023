// The port through which the service asks its workers for work. Messages are durable and may be sent twice: a message only
// names an Execution, and its state is in the store.

export type Dispatcher = {
  /**
   * Asks for a visit of the Execution, now or after `delayMs`. Settles when the message is durable, or left to the sweeper;
   * rejects when it cannot be sent, and then the sweeper asks, too.
   */
  poke(executionId: string, why: Why, delayMs?: number): Promise<void>
  /**
   * The same, for the sweeper: a visit that it asked for before, and that has not ended yet, is enough. So a service that has more to do
   * than it can does not get further visits of what waits.
   */
  sweep(executionId: string): Promise<void>
  /** Asks for an attempt, now or after `delayMs`. */
  perform(attempt: AttemptKey, delayMs: number): Promise<void>
}

/** This message cannot be sent, now or later; others can. */
export class MessageRefused extends Error {}

/** Why an Execution is visited. */
export type Why =
  | 'start'
  | 'event'
  | 'cancel'
  /** A user fired a timer, or asked for the next attempt of an effect. */
  | 'early'
  /** An effect has an outcome. */
  | 'effect'
  /** Something is due. */
  | 'timer'
  /** The last visit had to end before it was done. */
  | 'again'
  /** No visit came in time. */
  | 'sweep'

/** One attempt of an effect. Attempts count from 1. */
export type AttemptKey = { readonly executionId: string; readonly command: number; readonly attempt: number }

/**
 * What a worker does when it is asked. Each may be called twice, at once, and on several workers. `traceparent`: of what
 * asked for it, where that is traced. `dropped` aborts once nobody waits for the answer, and then it is asked again: what has not begun by
 * then rejects.
 */
export type Work = {
  visit(
    executionId: string,
    invocationId: string,
    why: Why,
    traceparent?: string,
    dropped?: AbortSignal,
  ): Promise<Visited>
  perform(attempt: AttemptKey, invocationId: string, traceparent?: string): Promise<Performed>
}

/** What follows a visit. */
export type Visited = {
  /** Attempts that are to be performed, each after `delayMs`. */
  readonly attempts: readonly { readonly command: number; readonly attempt: number; readonly delayMs: number }[]
  /** When to visit the Execution again at the latest. */
  readonly next?: { readonly why: Why; readonly delayMs: number }
}

/** What follows an attempt. */
export type Performed =
  | { readonly kind: 'nothing' }
  /** Visit the Execution, which gets the outcome. */
  | { readonly kind: 'poke' }
  | { readonly kind: 'again'; readonly attempt: number; readonly delayMs: number }
