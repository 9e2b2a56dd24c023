// Makes all connections of this process go through the egress proxy: HTTP, TLS, database drivers. An isolated host has no
// other network.

import { isIP, Socket, type TcpSocketConnectOpts } from 'node:net'
import { TLSSocket } from 'node:tls'
import { openTunnel, type Handle, type Tunnel, type WithHandle } from './open-tunnel.ts'

type Target = { readonly host: string; readonly port: number; readonly lookup: TcpSocketConnectOpts['lookup'] }

type Connect = (this: Socket, ...args: unknown[]) => Socket

/** What Node's own connecting does to a socket, besides connecting. */
type Internals = WithHandle & {
  connecting: boolean
  _peername: { readonly address: string; readonly family: string; readonly port: number } | null
  _sockname: unknown
  _undestroy(): void
  [reinitialize: symbol]: ((handle: Handle) => void) | undefined
}

export const tunnelConnections = (egress: string): void => {
  const usual = Socket.prototype.connect as unknown as Connect
  const reinitialize = symbolOf(Socket.prototype, 'kReinitializeHandle')
  symbolOf(TLSSocket.prototype, 'kReinitializeHandle')
  const way = { egress, connect: (socket: Socket, options: { path: string }) => void usual.call(socket, options) }

  const take = (socket: Internals, handle: Handle): void => {
    // Node renews a socket that gets a handle. That would undo an `end` that came while it was connecting.
    socket._undestroy = () => undefined
    socket[reinitialize]?.(handle)
    // The prototype's again.
    Reflect.deleteProperty(socket, '_undestroy')
  }

  const connect: Connect = function (...args) {
    const { options, listener } = argumentsOf(args)
    if (typeof options['path'] === 'string') return usual.apply(this, args)
    if (listener !== undefined) this.once('connect', listener)
    const internals = this as unknown as Internals
    const target = targetOf(options)
    const closed = new AbortController()
    const onClose = (): void => closed.abort()
    if (this.destroyed) renew(internals)
    internals.connecting = true
    this.once('close', onClose)
    authorityOf(target)
      .then((authority) => openTunnel(authority, way, closed.signal))
      .then(
        (tunnel) => {
          this.off('close', onClose)
          if (this.destroyed) return tunnel.handle.close()
          take(internals, tunnel.handle)
          begin(this, tunnel, target.port)
        },
        (error: unknown) => {
          const { host, port } = target
          const cause = error instanceof Error ? error : new Error(String(error))
          this.destroy(Object.assign(cause, { syscall: 'connect', address: host, port }))
        },
      )
    return this
  }
  Object.assign(Socket.prototype, { connect })
}

/** A socket may connect again after its end. */
const renew = (socket: Internals): void => {
  socket._handle = null
  socket._peername = null
  socket._sockname = null
  socket._undestroy()
}

const begin = (socket: Socket, { address, rest }: Tunnel, port: number): void => {
  const internals = socket as unknown as Internals
  internals.connecting = false
  internals._peername = { address, family: address.includes(':') ? 'IPv6' : 'IPv4', port }
  const isTls = socket instanceof TLSSocket
  if (rest.length > 0 && !isTls) socket.push(rest)
  socket.emit('connect')
  socket.emit('ready')
  if (rest.length > 0 && isTls) internals._handle?.receive?.(rest)
  if (!socket.destroyed && !socket.isPaused()) socket.read(0)
}

/** Arguments in any form that Node takes: options, port and host, or the array that `net.connect` makes of either. */
const argumentsOf = (
  args: readonly unknown[],
): { options: Record<string, unknown>; listener: (() => void) | undefined } => {
  const [first, second] = args
  if (Array.isArray(first)) return argumentsOf(first.filter((one) => one !== null))
  const listener = args.findLast((one) => typeof one === 'function') as (() => void) | undefined
  if (typeof first === 'object' && first !== null) return { options: { ...first }, listener }
  const isPath = typeof first === 'string' && !/^\d+$/.test(first)
  if (isPath) return { options: { path: first }, listener }
  return { options: { port: first, ...(typeof second === 'string' && { host: second }) }, listener }
}

const targetOf = (options: Record<string, unknown>): Target => {
  const { host, port, lookup } = options as Partial<TcpSocketConnectOpts>
  const number = Number(port)
  if (!Number.isInteger(number) || number < 0 || number > 65_535) {
    throw Object.assign(new RangeError(`options.port should be >= 0 and < 65536. Received ${String(port)}.`), {
      code: 'ERR_SOCKET_BAD_PORT',
    })
  }
  return { host: typeof host === 'string' && host !== '' ? host : 'localhost', port: number, lookup }
}

/** A `lookup` of the caller's own decides which address it is. */
const authorityOf = ({ host, port, lookup }: Target): Promise<string> =>
  new Promise((resolve, reject) => {
    const use = (name: string): void => resolve(name.includes(':') ? `[${name}]:${port}` : `${name}:${port}`)
    if (lookup === undefined || isIP(host) !== 0) return use(host)
    lookup(host, { all: false }, (error, address) => {
      if (error !== null) return reject(error)
      use(typeof address === 'string' ? address : (address[0]?.address ?? host))
    })
  })

const symbolOf = (object: object, name: string): symbol => {
  const found = Object.getOwnPropertySymbols(object).find(({ description }) => description === name)
  if (found === undefined)
    throw new Error(`this version of Node (${process.version}) cannot tunnel connections of effects`)
  return found
}
