// Asks the egress proxy for a connection, and takes over the handle of the socket that the proxy answered on.

import { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { clearTimeout, setTimeout } from 'node:timers'

/** What Node keeps the connection of a socket in. Internal to Node; the tests of the tunnel run on the Node in use. */
export type Handle = {
  reading?: boolean
  readStop(): number
  close(): void
  /** Of TLS handles. */
  receive?(bytes: Buffer): void
}

export type WithHandle = { _handle: Handle | null }

export type Tunnel = {
  readonly handle: Handle
  /** The address that the proxy has connected to. */
  readonly address: string
  /** Bytes that the other side has sent already. */
  readonly rest: Buffer
}

export type ConnectSocket = (socket: Socket, options: { readonly path: string }) => void

const END_OF_HEAD = '\r\n\r\n'
/** The proxy's process that has died is replaced within a second, later where the machine is busy. */
const AWAY_MS = 10_000
const TRY_EVERY_MS = 50

/** Waits for a proxy whose process has just died. Rejects with an error that has a `code`. */
export const openTunnel = (
  authority: string,
  { egress, connect }: { readonly egress: string; readonly connect: ConnectSocket },
  signal: AbortSignal,
): Promise<Tunnel> =>
  new Promise((resolve, reject) => {
    const until = performance.now() + AWAY_MS
    let isAway = false
    let socket: Socket
    let again: NodeJS.Timeout | undefined
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', abort)
      clearTimeout(again)
      socket.destroy()
      reject(error)
    }
    const abort = (): void => fail(failure('ECONNABORTED', 'the socket was closed'))
    const onError = (error: NodeJS.ErrnoException): void => {
      // The socket of a process that has died is still there, until the next process removes it to make its own.
      isAway = error.code === 'ECONNREFUSED' || (isAway && error.code === 'ENOENT')
      if (isAway && performance.now() < until) again = setTimeout(ask, TRY_EVERY_MS)
      else fail(notReached(error))
    }
    const ask = (): void => {
      socket = new Socket()
      let received = Buffer.alloc(0)
      const onEnd = (): void => fail(refusalOf(received.toString('utf8').split(END_OF_HEAD)[1] ?? ''))
      const onData = (bytes: Buffer): void => {
        received = Buffer.concat([received, bytes])
        const end = received.indexOf(END_OF_HEAD)
        // A refusal ends the connection after its body.
        if (end < 0 || !isAccepted(received)) return
        signal.removeEventListener('abort', abort)
        const head = received.toString('latin1', 0, end)
        const handle = takeHandle(socket)
        resolve({ handle, address: /^x-address: (.*)$/m.exec(head)?.[1] ?? '', rest: received.subarray(end + 4) })
      }
      socket.on('error', onError).on('end', onEnd).on('data', onData)
      socket.once('connect', () => socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}${END_OF_HEAD}`))
      connect(socket, { path: egress })
    }
    signal.addEventListener('abort', abort, { once: true })
    ask()
  })

const isAccepted = (received: Buffer): boolean => received.subarray(0, 13).toString('latin1') === 'HTTP/1.1 200 '

const takeHandle = (socket: Socket): Handle => {
  const owner = socket as unknown as WithHandle
  const handle = owner._handle
  if (handle === null) throw new Error('the socket to the egress proxy has no handle')
  handle.readStop()
  handle.reading = false
  owner._handle = null
  socket.removeAllListeners()
  return handle
}

/** The proxy takes no more connections for now, or its process has died. */
const notReached = ({ code = 'ECONNRESET', message }: NodeJS.ErrnoException): Error =>
  failure(
    code,
    `the egress proxy did not take the connection (${message}): too many are open, this workspace has opened too many in this second, or the proxy has just ended`,
  )

/** `body`: what the proxy answers when it refuses. Incomplete if the proxy ended meanwhile. */
export const refusalOf = (body: string): Error => {
  try {
    const { code, message } = JSON.parse(body) as { readonly code: string; readonly message: string }
    return failure(code, message)
  } catch {
    return failure('ECONNRESET', 'the egress proxy closed the connection')
  }
}

export const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })
