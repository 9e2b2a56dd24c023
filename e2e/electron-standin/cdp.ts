// Chromium's DevTools protocol over one WebSocket, with Playwright's types but not its code.

import type { CDPSession } from '@playwright/test'

/** The session of a target, or of the browser. */
export type CdpSession = Pick<CDPSession, 'send'> & { readonly on: CDPSession['addListener'] }

export type Cdp = {
  /** Undefined for the browser's session. */
  session(id?: string): CdpSession
  /** Rejects pending calls. */
  close(): void
}

type Incoming = {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
  readonly method?: string
  readonly params?: unknown
  readonly sessionId?: string
}

type Waiting = { resolve(result: unknown): void; reject(error: Error): void }

export const openCdp = async (address: string): Promise<Cdp> => {
  const socket = new WebSocket(address)
  const waiting = new Map<number, Waiting>()
  const listeners = new Map<string, ((params: unknown) => void)[]>()
  let commands = 0

  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, method, params, sessionId = '' } = JSON.parse(data as string) as Incoming
    if (id === undefined) {
      for (const listener of listeners.get(`${sessionId} ${method}`) ?? []) listener(params)
      return
    }
    const command = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) command?.resolve(result)
    else command?.reject(new Error(error.message))
  })
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the connection to Chromium is closed'))
    waiting.clear()
  })
  await new Promise<void>((open, failed) => {
    socket.addEventListener('open', () => open())
    socket.addEventListener('error', () => failed(new Error(`cannot connect to Chromium at ${address}`)))
  })

  return {
    close: () => socket.close(),
    session(sessionId) {
      const send = (method: string, params: object = {}): Promise<unknown> =>
        new Promise((resolve, reject) => {
          if (socket.readyState !== WebSocket.OPEN) return reject(new Error('the connection to Chromium is closed'))
          waiting.set(++commands, { resolve, reject })
          socket.send(JSON.stringify({ id: commands, method, params, sessionId }))
        })
      const on = (method: string, listener: (params: unknown) => void): void => {
        const key = `${sessionId ?? ''} ${method}`
        listeners.set(key, [...(listeners.get(key) ?? []), listener])
      }
      return { send, on } as unknown as CdpSession
    },
  }
}
