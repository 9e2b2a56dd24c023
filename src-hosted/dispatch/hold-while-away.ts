// Keeps messages that Restate does not accept now. While it is away, one message is tried every half second; once one is
// accepted, workspaces take turns to send the others. When only a part of Restate is away, such as one partition, its
// messages do not delay the others. Kept messages are lost when this process ends; the sweeper then finds their
// Executions.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from 'pino'
import { createFairQueue } from '../../src-runtime/shared/fair-queue.ts'
import { within } from '../../src-runtime/shared/within.ts'
import { MessageRefused, type Dispatcher } from './dispatcher.ts'

const TRY_EVERY_MS = 500
/** Further messages are given up; the sweeper finds their Executions. */
const MOST_HELD = 10_000
const SENT_AT_ONCE = 32
/** After so many failed messages in a row, Restate counts as away. Fewer may all belong to one part of it. */
const AWAY_AFTER = 3
/** In a row: the others are tried next time. */
const MOST_FAILURES = 32
/** After this time, messages whose workspaces the store has not told yet are sent in the order in which they came. */
const WORKSPACES_WITHIN_MS = 1_000

export type HoldingDispatcher = Dispatcher & {
  /** Whether messages cannot be sent now, as far as this process knows, or so many wait that it keeps no more. */
  readonly isAway: boolean
  /** Gives up what is held, and what cannot be sent from now on. May be called twice. */
  stop(): void
}

type Message = {
  /** On the monotonic clock: a message with a delay keeps its time. */
  readonly at: number
  readonly send: (delayMs: number) => Promise<void>
  readonly sent: PromiseWithResolvers<void>
  readonly executionId: string
  hasFailed: boolean
  /** The key of the workspace, once it is known. */
  workspace?: string
}

/**
 * Promises of held messages stay open until these are sent, or given up: then one line tells of all of them, which may be thousands. The
 * same message is held once.
 */
export const holdWhileAway = (
  dispatcher: Dispatcher,
  options: {
    readonly log: Logger
    /** The key of the workspace of an Execution. */
    readonly workspaceOf: (executionId: string) => Promise<number | undefined>
    readonly monotonic: () => number
    readonly tryEveryMs?: number
    readonly mostHeld?: number
  },
): HoldingDispatcher => {
  const { log, workspaceOf, monotonic, tryEveryMs = TRY_EVERY_MS, mostHeld = MOST_HELD } = options
  const held = new Map<string, Message>()
  let isHolding = false
  /** How many messages were given up since it holds some, because it held too many. */
  let givenUp = 0
  /** How many messages Restate has taken, or refused, by now. */
  let answered = 0
  /** Messages whose first try has failed since the last success. A repeated failure is no new evidence that Restate is away. */
  const failing = new Set<string>()
  let isStopped = false
  const isAway = (): boolean => !isStopped && failing.size >= AWAY_AFTER
  let timer: NodeJS.Timeout | undefined

  let isEndLogged = false
  /** One line for all messages that this process does not send any more, which may be thousands. */
  const logEnd = (count?: number): void => {
    if (isEndLogged) return
    isEndLogged = true
    log.warn({ left: count }, 'this process stops while Restate is away; the sweeper finds what it was not told of')
  }

  const trySoon = (): void => {
    timer = setTimeout(() => void sendHeld(), tryEveryMs).unref()
  }

  const noteAnswer = (): void => {
    answered += 1
    failing.clear()
  }

  const trySending = async (key: string, isFirst: boolean, send: () => Promise<void>): Promise<void> => {
    const before = answered
    try {
      await send()
      noteAnswer()
    } catch (error) {
      if (error instanceof MessageRefused) noteAnswer()
      else if (isFirst && before === answered) failing.add(key)
      throw error
    }
  }

  const sendOne = async (key: string, message: Message): Promise<boolean> => {
    held.delete(key)
    try {
      const delayMs = Math.max(0, message.at - monotonic())
      await trySending(key, !message.hasFailed, () => message.send(delayMs))
      message.sent.resolve()
      return true
    } catch (error) {
      const same = held.get(key)
      message.hasFailed = true
      if (error instanceof MessageRefused) message.sent.reject(error)
      else if (isStopped) message.sent.resolve()
      else if (same !== undefined) message.sent.resolve(same.sent.promise)
      else held.set(key, message) // behind the others: next time, another one is tried
      return error instanceof MessageRefused
    }
  }

  /** Messages that have not failed come first: they may belong to another part of Restate. */
  const tryOne = async (): Promise<boolean> => {
    const all = [...held]
    const next = all.find(([, { hasFailed }]) => !hasFailed) ?? all[0]
    return next === undefined || sendOne(...next)
  }

  const findWorkspaces = async (): Promise<void> => {
    const find = async (message: Message): Promise<void> => {
      if (message.workspace !== undefined) return
      const workspace = await workspaceOf(message.executionId).catch(() => undefined)
      if (workspace !== undefined) message.workspace = String(workspace)
    }
    await within(WORKSPACES_WITHIN_MS, Promise.all([...held.values()].map(find)))
  }

  /** Workspaces take turns. Messages whose workspace is not known count as one more workspace. */
  const inTurns = (): readonly (readonly [string, Message])[] => {
    const queue = createFairQueue<readonly [string, Message]>()
    for (const one of held) queue.add(one[1].workspace ?? '', one)
    return Array.from({ length: queue.size }, () => queue.take()!)
  }

  /** Tries each once. */
  const sendAll = async (): Promise<void> => {
    await findWorkspaces()
    if (isStopped) return
    const all = inTurns().values()
    let failures = 0
    const sendInTurn = async (): Promise<void> => {
      for (const next of all) {
        const before = answered
        if (await sendOne(...next)) failures = 0
        else if (before === answered) failures += 1
        if (isStopped || failures >= MOST_FAILURES) return
      }
    }
    await Promise.all(Array.from({ length: SENT_AT_ONCE }, sendInTurn))
  }

  const sendHeld = async (): Promise<void> => {
    if (!isAway() || (await tryOne())) await sendAll()
    if (isStopped) return
    if (held.size > 0) return trySoon()
    isHolding = false
    log.info({ left: givenUp }, 'Restate is back, and was told of what was held; the sweeper finds what is left')
  }

  const hold = (key: string, message: Omit<Message, 'sent'>, reason?: unknown): Promise<void> => {
    const same = held.get(key)
    if (same !== undefined) return same.sent.promise
    if (held.size >= mostHeld) {
      if (givenUp === 0)
        log.warn({ held: held.size }, 'too many messages wait for Restate; the sweeper finds further ones')
      givenUp += 1
      return Promise.resolve()
    }
    const sent = Promise.withResolvers<void>()
    // It stays in the trace of whoever asked.
    const inContext = AsyncLocalStorage.snapshot()
    held.set(key, { ...message, send: (delayMs) => inContext(message.send, delayMs), sent })
    if (!isHolding) {
      isHolding = true
      givenUp = 0
      log.warn({ err: reason }, 'Restate is away, or a part of it; it is told later of what is held')
      trySoon()
    }
    return sent.promise
  }

  const sendOrHold = async (
    key: string,
    executionId: string,
    delayMs: number,
    send: Message['send'],
  ): Promise<void> => {
    const message = { at: monotonic() + delayMs, send, executionId }
    const heldKey = delayMs > 0 ? `${key} at ${message.at}` : key
    if (isAway() || held.has(heldKey)) return hold(heldKey, { ...message, hasFailed: false })
    try {
      await trySending(heldKey, true, () => send(delayMs))
    } catch (error) {
      if (error instanceof MessageRefused) throw error
      if (isStopped) return logEnd()
      return hold(heldKey, { ...message, hasFailed: true }, error)
    }
  }

  return {
    get isAway() {
      // What is given up counts as sent, so the sweeper must not go on as fast as it can.
      return isAway() || held.size >= mostHeld
    },
    poke: (executionId, why, delayMs = 0) =>
      sendOrHold(`${executionId} ${why}`, executionId, delayMs, (ms) => dispatcher.poke(executionId, why, ms)),
    // Held beside a poke for the reason `sweep`, which asks for one more visit where unfinished work is ended.
    sweep: (executionId) => sendOrHold(`${executionId} overdue`, executionId, 0, () => dispatcher.sweep(executionId)),
    perform: (attempt, delayMs) =>
      sendOrHold(`${attempt.executionId}.${attempt.command}.${attempt.attempt}`, attempt.executionId, delayMs, (ms) =>
        dispatcher.perform(attempt, ms),
      ),
    stop: () => {
      isStopped = true
      failing.clear()
      clearTimeout(timer)
      if (held.size > 0) logEnd(held.size)
      for (const { sent } of held.values()) sent.resolve()
      held.clear()
    },
  }
}
