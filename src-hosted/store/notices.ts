// Hints between processes, on one connection of its own for each direction: NOTIFY within the transactions that store
// something would let them wait for one another.

import { pause } from '../../src-runtime/shared/pause.ts'
import { openSession, type Session } from './database.ts'
import type { Notices } from './store.ts'

const CHANNEL = 'wes'
const AGAIN_AFTER_MS = 200
/** How often a listening session asks whether its connection still works. */
const ASK_EVERY_MS = 10_000
/** Hints may be lost with a power failure, so the commit does not wait for the disk. */
const SETTINGS = { role: 'wes_worker', synchronous_commit: 'off', statement_timeout: 5_000 }

export const createNotices = (url: string): Notices & { close(): Promise<void> } => {
  const stopping = new AbortController()
  const listeners = new Set<Promise<void>>()
  let sending: Promise<void> = Promise.resolve()
  let sender: Session | undefined

  const openSender = async (): Promise<Session> => {
    const opened = await openSession(url, SETTINGS)
    void opened.ended.then(() => (sender = undefined))
    return opened
  }

  const sendNow = async (payload: string): Promise<void> => {
    if (stopping.signal.aborted) return
    try {
      sender ??= await openSender()
      await sender.run('SELECT pg_notify($1, $2)', [CHANNEL, payload])
    } catch {
      await sender?.close()
    }
  }

  const listen = async (onNotice: (notice: string) => void, onGap: () => void, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        const session = await openSession(url, { ...SETTINGS, statement_timeout: 0 })
        const stop = () => void session.close()
        signal.addEventListener('abort', stop, { once: true })
        try {
          if (signal.aborted) stop()
          session.onNotice((payload) => {
            for (const notice of payload.split('\n')) onNotice(notice)
          })
          await session.run(`LISTEN ${CHANNEL}`)
          onGap()
          const asking = setInterval(() => void session.run('SELECT 1').catch(stop), ASK_EVERY_MS)
          await session.ended.finally(() => clearInterval(asking))
        } finally {
          signal.removeEventListener('abort', stop)
          stop() // a server that takes no LISTEN leaves it open
        }
      } catch {
        // It is tried again.
      }
      await pause(AGAIN_AFTER_MS, signal)
    }
  }

  return {
    send: (notices) => {
      sending = sending.then(() => sendNow(notices.join('\n')))
      return sending
    },
    listen: (onNotice, onGap) => {
      const own = new AbortController()
      const listening = listen(onNotice, onGap, AbortSignal.any([own.signal, stopping.signal]))
      listeners.add(listening)
      return {
        stop: async () => {
          own.abort()
          await listening
          listeners.delete(listening)
        },
      }
    },
    close: async () => {
      stopping.abort()
      // A hint may be lost, so it is not waited for.
      await sender?.close()
      await sending
      await sender?.close()
      await Promise.all(listeners)
    },
  }
}
