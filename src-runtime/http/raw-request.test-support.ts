// Sends requests byte by byte, also malformed ones.

import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** Sends the bytes and gives back all that came until the server closed the connection. */
export const rawRequest = async (port: number, bytes: string | Buffer, host = '127.0.0.1'): Promise<string> => {
  const socket = connect(port, host)
  socket.setTimeout(10_000, () => socket.destroy(new Error('the server neither answered nor closed')))
  socket.write(bytes)
  return text(socket)
}

/** What a single raw answer says. */
export const readRaw = (answer: string) => {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.replace(/^[^:]*: */, '')]),
  )
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    json: JSON.parse(body) as { error: { code: string; message: string } },
  }
}
