// Keeps messages while Restate is away. One of them is tried every half second, whatever their number; once it is sent, all
// others follow. What is kept here is lost with this process, and then the sweeper finds what it was about.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from 'pino'
import { MessageRefused, type Dispatcher } from './dispatcher.ts'

const TRY_EVERY_MS = 500
/** Of more, the sweeper will ask. */
const MOST_HELD = 10_000
const SENT_AT_ONCE = 32

export type HoldingDispatcher = Dispatcher & {
  /** Gives up what is held, and holds nothing from now on. */
  stop(): void
}

type Message = {
  /** On the monotonic clock: a message with a delay keeps its time. */
  readonly at: number
  readonly send: (delayMs: number) => Promise<void>
  readonly sent: PromiseWithResolvers<void>
}

const givenUp = (): Error => new Error('this process stops, and Restate is away')

/** Promises of held messages stay open until these are sent. The same message is held once. */
export const holdWhileAway = (
  dispatcher: Dispatcher,
  options: {
    readonly log: Logger
    readonly monotonic: () => number
    readonly tryEveryMs?: number
    readonly mostHeld?: number
  },
): HoldingDispatcher => {
  const { log, monotonic, tryEveryMs = TRY_EVERY_MS, mostHeld = MOST_HELD } = options
  const held = new Map<string, Message>()
  let isHolding = false
  /** Some messages may fail and others not, where one of several nodes is away. */
  let isAway = false
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  const trySoon = (): void => {
    timer = setTimeout(() => void sendHeld(), tryEveryMs).unref()
  }

  const sendOne = async (key: string, message: Message): Promise<boolean> => {
    held.delete(key)
    try {
      await message.send(Math.max(0, message.at - monotonic()))
      message.sent.resolve()
      return true
    } catch (error) {
      const same = held.get(key)
      if (error instanceof MessageRefused) message.sent.reject(error)
      else if (isStopped) message.sent.reject(givenUp())
      else if (same !== undefined) message.sent.resolve(same.sent.promise)
      else held.set(key, message) // behind the others: next time, another one is tried
      return error instanceof MessageRefused
    }
  }

  /** Ends with the first that cannot be sent. */
  const sendInTurn = async (): Promise<boolean> => {
    for (const [key, message] of held) if (!(await sendOne(key, message))) return false
    return true
  }

  const sendHeld = async (): Promise<void> => {
    const [first] = held
    const isBack = first === undefined || (await sendOne(...first))
    if (isStopped) return
    isAway = !isBack
    if (!isBack) return trySoon()
    const all = await Promise.all(Array.from({ length: SENT_AT_ONCE }, sendInTurn))
    if (isStopped) return
    if (!all.every((isSent) => isSent)) return trySoon()
    if (held.size > 0) return sendHeld()
    isHolding = false
    log.info('Restate is back, and was told of what came meanwhile')
  }

  const hold = (key: string, message: Omit<Message, 'sent'>, reason?: unknown): Promise<void> => {
    const same = held.get(key)
    if (same !== undefined) return same.sent.promise
    if (held.size >= mostHeld) return Promise.reject(new Error('too many messages wait for Restate', { cause: reason }))
    const sent = Promise.withResolvers<void>()
    // It stays in the trace of whoever asked.
    const inContext = AsyncLocalStorage.snapshot()
    held.set(key, { at: message.at, send: (delayMs) => inContext(message.send, delayMs), sent })
    return sent.promise
  }

  const sendOrHold = async (key: string, delayMs: number, send: Message['send']): Promise<void> => {
    const message = { at: monotonic() + delayMs, send }
    const heldKey = delayMs > 0 ? `${key} at ${message.at}` : key
    if (isHolding) return hold(heldKey, message)
    try {
      await send(delayMs)
    } catch (error) {
      if (isStopped || error instanceof MessageRefused) throw error
      if (!isHolding) {
        isHolding = isAway = true
        log.warn({ err: error }, 'Restate is away; it is told later of what comes meanwhile')
        trySoon()
      }
      return hold(heldKey, message, error)
    }
  }

  return {
    get isAway() {
      return isAway
    },
    poke: (executionId, why, delayMs = 0) =>
      sendOrHold(`${executionId} ${why}`, delayMs, (ms) => dispatcher.poke(executionId, why, ms)),
    perform: (attempt, delayMs) =>
      sendOrHold(`${attempt.executionId}.${attempt.command}.${attempt.attempt}`, delayMs, (ms) =>
        dispatcher.perform(attempt, ms),
      ),
    fireAt: (triggerId, at, delayMs) =>
      sendOrHold(`${triggerId} ${at}`, delayMs, (ms) => dispatcher.fireAt(triggerId, at, ms)),
    stop: () => {
      isStopped = true
      isHolding = isAway = false
      clearTimeout(timer)
      for (const { sent } of held.values()) sent.reject(givenUp())
      held.clear()
    },
  }
}
