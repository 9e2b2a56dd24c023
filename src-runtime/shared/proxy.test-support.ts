// A real proxy on this computer, which opens tunnels to a service on this computer, whatever host it is asked for.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

export type TestProxy = {
  /** With its port. */
  readonly host: string
  readonly asked: readonly (readonly [host: string | undefined, credentials: string | undefined])[]
  /** All bytes that it got, as Latin-1. */
  readonly passed: () => string
  readonly close: () => void
}

/** `answer`: of the proxy, instead of a tunnel to that port. */
export const startTestProxy = async (port: number, answer?: string): Promise<TestProxy> => {
  const asked: (readonly [host: string | undefined, credentials: string | undefined])[] = []
  const passed: Buffer[] = []
  const sockets = new Set<Socket>()
  const proxy = createServer((_request, response) => void response.writeHead(500).end())
  proxy.on('connect', ({ url, headers, rawHeaders }, socket: Socket) => {
    asked.push([url, headers['proxy-authorization']])
    passed.push(Buffer.from(rawHeaders.join('\n')))
    if (answer !== undefined) return void socket.end(answer)
    const tunnel = connect(port, '127.0.0.1')
    for (const one of [socket, tunnel]) sockets.add(one.on('error', () => tunnel.destroy()))
    socket.on('data', (chunk: Buffer) => passed.push(chunk))
    socket.write('HTTP/1.1 200 Connected\r\n\r\n')
    socket.pipe(tunnel).pipe(socket)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return {
    host: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    asked,
    passed: () => Buffer.concat(passed).toString('latin1'),
    close: () => {
      for (const socket of sockets) socket.destroy()
      proxy.closeAllConnections()
      proxy.close()
    },
  }
}
