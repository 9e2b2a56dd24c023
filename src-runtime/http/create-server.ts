// A Node server that answers errors before routing, such as an invalid request line, in the API's error format.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ApiError, errorJson } from '../contract/errors.ts'
import { API_HEADERS } from './headers.ts'

// An import of node:http evaluates all its exports, among them a lazy one that loads a whole HTTP client.
const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')

/** How long a client may take to send a whole request, and its head. */
const RECEIVE_TIMEOUT_MS = 30_000
const HEAD_TIMEOUT_MS = 10_000
const CHECK_INTERVAL_MS = 5_000
const KEEP_ALIVE_MS = 72_000
/** How long a caller may read nothing, although there is something to read; at most twice as long. */
const UNREAD_MS = 30_000
/** After so many times as long without a request, longer than the time limit above, a connection is closed. */
const IDLE_LOOKS = 3
const LINGER_MS = 1_000
/** How long a caller who sends no more gets to its answer, unless that is being sent. */
const HALF_OPEN_MS = 1_000

/** `allow`: the methods that an answer to CONNECT names. */
export const createHttpServer = (
  listener: RequestListener,
  allow = 'GET, HEAD, POST',
  unreadMs = UNREAD_MS,
): Server => {
  const server = createServer(
    {
      requestTimeout: RECEIVE_TIMEOUT_MS,
      headersTimeout: HEAD_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The guard answers a request without a Host.
      requireHostHeader: false,
    },
    listener,
  )
  // Otherwise Node closes the connection at once when a caller, such as `nc -N`, says that it sends no more, and the answer to what it
  // sent is lost. Not documented, but as old as the server itself.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', (socket) => {
    socket.once('end', () => giveUpLater(socket))
    closeUnused(socket, unreadMs)
  })
  server.on('checkContinue', (request, response) => {
    continueOnceRead(request, response)
    listener(request, response)
  })
  // An expectation that is not known may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', listener)
  server.on('timeout', closeUnlessUsed)
  server.on('clientError', answerClientError)
  server.on('connect', (_request, socket) => answerRaw(socket, connectRefused(allow)))
  return server
}

/** Asks for the body once it is wanted, so that a caller who is refused before need not send it. */
const continueOnceRead = (request: IncomingMessage, response: ServerResponse): void => {
  request.once('resume', () => {
    // What follows an answer is read, too.
    if (!response.headersSent) response.writeContinue()
  })
}

/** One who is gone says the same as one who only sends no more, so nothing is held for it for long. */
const giveUpLater = (socket: Socket): void => {
  const look = setTimeout(() => {
    if (socket.writableLength > 0) look.refresh()
    else socket.destroy()
  }, HALF_OPEN_MS)
  socket.once('close', () => clearTimeout(look))
}

/** The time limits of Node do not do: whatever its caller sends, such as an empty line now and then, counts for them. */
const closeUnused = (socket: Socket, everyMs: number): void => {
  let takenBefore: number | undefined
  let writtenBefore = -1
  let idleLooks = 0
  const look = (): void => {
    const taken = socket.writableLength > 0 ? takenOf(socket) : undefined
    if (taken !== undefined && taken === takenBefore) return void socket.destroy()
    takenBefore = taken
    const isIdle = answerOf(socket) === undefined && socket.bytesWritten === writtenBefore
    writtenBefore = socket.bytesWritten
    idleLooks = isIdle ? idleLooks + 1 : 0
    if (idleLooks >= IDLE_LOOKS) closeUnlessUsed(socket)
  }
  // After the process stood still, timers come before more is written to callers who have read meanwhile.
  const looks = setInterval(() => setImmediate(look), everyMs).unref()
  socket.once('close', () => clearInterval(looks))
}

/** How many bytes the system has taken from the process. */
const takenOf = (socket: Socket): number | undefined => {
  // Not documented; Node looks there for the time limit of a socket.
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : undefined
}

const connectRefused = (allow: string) => new ApiError('method_not_allowed', 'This is no proxy.', { allow })

const answerClientError = (error: NodeJS.ErrnoException, socket: Duplex) => {
  // The parser reports an error again for every further chunk.
  if (error.code === 'ECONNRESET' || socket.destroyed || socket.writableEnded) return
  // A browser opens connections before it needs them, and may be sending on this one just now. It repeats a request whose
  // connection closes without an answer.
  const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && (socket as Socket).bytesRead === 0
  if (isUnused) return closeUnlessUsed(socket as Socket)
  const answer = answerOf(socket)
  if (answer !== undefined && !answer.headersSent && answer.req.complete) return answerAfter(answer, error, socket)
  if (isBegun(answer)) return endWith(socket, '')
  answerRaw(socket, new ApiError('invalid_request', REASONS[error.code ?? ''] ?? 'This is no HTTP request.'))
}

/** The answer that comes next on a connection. */
const answerOf = (socket: Duplex): ServerResponse | undefined => {
  // Not documented; Node looks there, too.
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null }
  return answer ?? undefined
}

/** Whether the error would be told within an answer, or after the one that its request got before all of it had arrived. */
const isBegun = (answer: ServerResponse | undefined): boolean =>
  answer?.headersSent === true && !(answer.writableEnded && answer.req.complete)

const answeredLater = new WeakSet<ServerResponse>()

/** The request before arrived as it should, and its caller would take an earlier answer for that request's. */
const answerAfter = (answer: ServerResponse, error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (answeredLater.has(answer)) return
  answeredLater.add(answer)
  answer.once('close', () => answerClientError(error, socket))
}

/** After the process stood still, timers come before what has arrived is read: a request on an idle connection would be lost. */
const closeUnlessUsed = (socket: Socket): void => {
  const { bytesRead } = socket
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) socket.destroy()
  })
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
  HPE_INVALID_EOF_STATE: 'The connection ended before the whole request arrived.',
  HPE_HEADER_OVERFLOW: 'The head of the request is too large.',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions of the request are too large.',
}

const answerRaw = (socket: Duplex, error: ApiError) => {
  const body = errorJson(error.code, error.message)
  const headers = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries({ ...API_HEADERS, ...error.headers }).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ]
  endWith(socket, `${headers.join('\r\n')}\r\n\r\n${body}`)
}

const endWith = (socket: Duplex, last: string) => {
  // After an upgrade, Node no longer listens for errors of the socket.
  socket.on('error', () => {})
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.end(last)
  // Closing a socket with unread bytes resets it, and a caller who is still sending loses the answer. So read the rest;
  // the listener also takes the socket from the parser, which would not read it.
  socket.on('data', () => {})
  const linger = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('end', () => socket.destroy())
  socket.once('close', () => clearTimeout(linger))
}
