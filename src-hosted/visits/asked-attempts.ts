// Attempts that Restate asks for. One process at a time performs an attempt. Restate runs a limited number of handlers at
// once, so a handler waits for short attempts and for some long ones; the other attempts go on without a handler.

import type { Logger } from 'pino'
import { isDue, type OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import type { JsonText } from '../../src-runtime/engine/journal.ts'
import { unlessLarge } from '../../src-runtime/worker/effect-call.ts'
import type { AttemptKey, Dispatcher, Performed } from '../dispatch/dispatcher.ts'
import type { AttemptTaken, EngineStore } from '../store/store.ts'
import type { AttemptPerformer } from './perform-attempts.ts'
import { textOf, type RunningAttempts } from './running-attempts.ts'
import { again, untilAnswered, type OutcomeWriter } from './store-outcomes.ts'
import { within } from '../../src-runtime/shared/within.ts'

export type AskedAttempts = {
  /**
   * Performs the attempt, unless it has an outcome or another process performs it. Rejects when the store cannot be reached.
   * `invocationId`: of the handler. Restate calls it again with the same one if it did not get the answer.
   */
  perform(key: AttemptKey, invocationId: string): Promise<Performed>
  /** Sends the next message after an attempt for which no handler of Restate waits. */
  follow(key: AttemptKey, ended: Promise<Performed>): void
  /**
   * Notes that this process does not perform the attempt after all, so that its death does not count as one of the attempt.
   * Answers what follows: another worker performs it if it was handed over, as `signal` tells.
   */
  letGo(key: AttemptKey, signal?: AbortSignal): Promise<Performed>
}

/** An attempt that is due within this time begins now, without another message. */
const EARLY_MS = 20
/** A handler waits this long for any attempt. */
const WAIT_MS = 1_000
/** After this time Restate asks again for an attempt without a handler: the process that performs it may have died. */
const ASK_AGAIN_MS = 15_000
/**
 * A worker that stops, or was replaced, answers with this delay, and Restate then asks the newest workers. If the handler failed instead,
 * Restate would wait for a worker at the same address.
 */
export const HAND_OVER_MS = 1_000
/** After this time the attempt is asked for again when the store could not be reached. */
const AFTER_FAILURE_MS = 1_000
/** A process that does not answer so many requests counts as dead. */
const ASKED_TIMES = 3

export const createAskedAttempts = (deps: {
  readonly store: Pick<EngineStore, 'takeAttempt' | 'letGo'>
  readonly performer: AttemptPerformer
  readonly outcomes: OutcomeWriter
  readonly running: RunningAttempts
  readonly dispatcher: Pick<Dispatcher, 'poke' | 'perform'>
  /** Identifies this process. */
  readonly name: string
  /** See `EngineStore.takeAttempt`. */
  readonly deadAfterMs: number
  /** Handlers wait for this many long attempts until they end, so that Restate knows which workers are in use. */
  readonly mostAwaited: number
  readonly now: () => number
  readonly log: Logger
}): AskedAttempts => {
  const { store, performer, outcomes, running, dispatcher, name, deadAfterMs, mostAwaited, now, log } = deps
  /** Number of long attempts for which a handler waits. */
  let awaited = 0
  const followed = new WeakSet<Promise<Performed>>()

  const release = (key: AttemptKey): Promise<void> =>
    store.letGo(key, name).catch((error: unknown) => {
      log.debug(
        { err: error, ...key },
        'an attempt could not be released; other workers ask for it until they may perform it',
      )
    })

  const follow = (key: AttemptKey, ended: Promise<Performed>): void => {
    const { executionId } = key
    const act = async (): Promise<void> => {
      const { attempt } = key
      const delayMs = running.isDraining ? 0 : AFTER_FAILURE_MS
      const performed = await ended.catch((): Performed => ({ kind: 'again', attempt, delayMs }))
      if (performed.kind === 'poke') await dispatcher.poke(executionId, 'effect')
      if (performed.kind === 'again') {
        await dispatcher.perform({ ...key, attempt: performed.attempt }, performed.delayMs)
      }
    }
    act().catch((error: unknown) => {
      log.warn({ err: error, ...key }, 'Restate could not be told of an attempt; the sweeper will ask for it')
    })
  }

  const toAskAgain = createTold()
  /** Those that were told to ask for the attempt that follows. */
  const toGoOn = createTold()

  /** One message is enough. Those that sweeps add would otherwise go on, each every 15 s, until the attempt ends. */
  const askAgain = (key: AttemptKey, invocationId: string): Performed => {
    const text = textOf(key)
    if (toAskAgain.wasOther(text, invocationId, ASK_AGAIN_MS / 2)) return { kind: 'nothing' }
    toAskAgain.note(text, invocationId)
    return { kind: 'again', attempt: key.attempt, delayMs: ASK_AGAIN_MS }
  }

  /** The same: those that sweeps add would go on until the effect ends, and Restate would have more and more messages for each attempt. */
  const goOn = (key: AttemptKey, next: Pick<OpenEffect, 'attempt' | 'dueAt'>, invocationId: string): Performed => {
    const text = textOf({ ...key, attempt: next.attempt })
    return toGoOn.wasOther(text, invocationId, ASK_AGAIN_MS) ? { kind: 'nothing' } : again(next, now)
  }

  const notTaken = (
    key: AttemptKey,
    invocationId: string,
    taken: Exclude<AttemptTaken, { kind: 'taken' }>,
  ): Performed => {
    switch (taken.kind) {
      case 'elsewhere': {
        if (taken.isCertain) return askAgain(key, invocationId)
        return { kind: 'again', attempt: key.attempt, delayMs: deadAfterMs / ASKED_TIMES }
      }
      case 'later':
        return goOn(key, taken, invocationId)
      case 'answered':
        return { kind: 'poke' }
      case 'gone':
        return { kind: 'nothing' }
    }
  }

  const handedOver = ({ attempt }: AttemptKey): Performed => ({ kind: 'again', attempt, delayMs: HAND_OVER_MS })

  const letGo: AskedAttempts['letGo'] = async (key, signal) => {
    await release(key)
    return signal !== undefined && running.isHandedOver(signal) ? handedOver(key) : { kind: 'nothing' }
  }

  /** Without what is large: the attempt may wait long for a place. */
  const takeAttempt = async (key: AttemptKey, signal: AbortSignal) => {
    const taken = await store.takeAttempt(key, name, deadAfterMs)
    if (taken.kind !== 'taken') return taken
    const { kind, head, effect, data } = taken
    return { kind, head, effect, data: unlessLarge(data, () => readAgain(key, signal)) }
  }

  const readAgain = async (key: AttemptKey, signal: AbortSignal): Promise<JsonText> => {
    const { answer } = await untilAnswered(() => store.takeAttempt(key, name, deadAfterMs), signal)
    if (answer.kind === 'taken') return answer.data
    // Another process has it, or nobody wants it any more: nothing may be stored for it here.
    running.abort(key)
    throw new Error('the attempt is no longer performed here')
  }

  const take = async (
    key: AttemptKey,
    invocationId: string,
    signal: AbortSignal,
    onBegin: () => void,
  ): Promise<Performed> => {
    const taken = await takeAttempt(key, signal)
    if (taken.kind !== 'taken') return notTaken(key, invocationId, taken)
    const { head, effect, data } = taken
    if (!isDue(effect, now() + EARLY_MS)) {
      await release(key)
      return again(effect, now)
    }
    const ended = await performer.perform(head, effect, data, signal, onBegin)
    if (ended === undefined) return letGo(key, signal)
    const performed = await outcomes.store(key, ended, signal)
    if (performed.kind === 'again') toGoOn.note(textOf({ ...key, attempt: performed.attempt }), invocationId)
    return performed
  }

  const perform: AskedAttempts['perform'] = async (key, invocationId) => {
    if (running.isDraining) return handedOver(key)
    const ended = running.run(key, (signal, onBegin) => take(key, invocationId, signal, onBegin))
    const short = await within(WAIT_MS, ended)
    if (short !== undefined) return short
    if (awaited < mostAwaited) {
      awaited += 1
      return ended.finally(() => (awaited -= 1))
    }
    if (!followed.has(ended)) {
      followed.add(ended)
      follow(key, ended)
    }
    return askAgain(key, invocationId)
  }

  return { perform, follow, letGo }
}

/** Which handler was last told something of an attempt, in the last 15 s. */
const createTold = () => {
  /** Oldest first. */
  const told = new Map<string, { readonly at: number; readonly invocationId: string }>()
  return {
    /** Whether it was another one, and not longer ago than `ms`. */
    wasOther: (text: string, invocationId: string, ms: number): boolean => {
      const last = told.get(text)
      return last !== undefined && last.invocationId !== invocationId && performance.now() - last.at < ms
    },
    note: (text: string, invocationId: string): void => {
      const at = performance.now()
      told.delete(text)
      told.set(text, { at, invocationId })
      for (const [oldest, one] of told) {
        if (at - one.at < ASK_AGAIN_MS) break
        told.delete(oldest)
      }
    },
  }
}
