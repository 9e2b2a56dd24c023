// Name servers and UDP: an isolated host reaches neither. What would time out fails at once, and says so. `dns.lookup`
// asks the egress proxy.

import type { LookupAddress, LookupOptions } from 'node:dns'
import { get } from 'node:http'
import { isIP } from 'node:net'
import { callbackify } from 'node:util'
import { failure, refusalOf } from './open-tunnel.ts'

// The modules themselves: in a bundle, imports are objects that only inherit from them.
const dgram = process.getBuiltinModule('node:dgram')
const dns = process.getBuiltinModule('node:dns')

type Callback = (error: Error | null, ...results: unknown[]) => void

export const refuseDatagrams = (): void => {
  const refuse = (): never => {
    throw failure('EACCES', 'effects of this service cannot use UDP')
  }
  Object.assign(dgram, { createSocket: refuse })
  Object.assign(dgram.Socket.prototype, { bind: refuse, connect: refuse, send: refuse })
}

const ASKS_NAME_SERVER = /^(?:resolve|reverse$|lookupService$)/

export const replaceNameServers = (egress: string): void => {
  for (const object of [dns, dns.Resolver.prototype]) replace(object, refuseWithCallback)
  for (const object of [dns.promises, dns.promises.Resolver.prototype]) replace(object, refuseWithPromise)
  const lookup = (host: string, options?: LookupOptions | number | null) => lookUp(egress, host, options ?? {})
  Object.assign(dns.promises, { lookup })
  Object.assign(dns, {
    lookup: (host: string, options: LookupOptions | number | Callback, callback?: Callback) => {
      const done = typeof options === 'function' ? options : callback
      if (done === undefined) throw new TypeError('dns.lookup takes a callback')
      const given = typeof options === 'function' ? {} : options
      lookUpWithCallback(egress, host, given, (error, found) => {
        if (error !== null) done(error)
        else if (Array.isArray(found)) done(null, found)
        else done(null, found.address, found.family)
      })
    },
  })
}

const replace = (object: object, refuse: (name: string) => unknown): void => {
  for (const name of namesOf(object)) if (ASKS_NAME_SERVER.test(name)) Object.assign(object, { [name]: refuse(name) })
}

const namesOf = (object: object): readonly string[] => {
  const names: string[] = []
  for (
    let at: object | null = object;
    at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at) as object
  ) {
    names.push(...Object.getOwnPropertyNames(at))
  }
  return names
}

const refusal = (name: string): Error =>
  failure(
    'ENOTIMP',
    `dns.${name} is not available to effects of this service: they reach no name server. Use dns.lookup`,
  )

const refuseWithCallback =
  (name: string) =>
  (...args: readonly unknown[]): void => {
    const callback = args.findLast((argument) => typeof argument === 'function') as Callback | undefined
    if (callback === undefined) throw refusal(name)
    process.nextTick(callback, refusal(name))
  }

const refuseWithPromise = (name: string) => (): Promise<never> => Promise.reject(refusal(name))

const lookUp = async (
  egress: string,
  host: string,
  options: LookupOptions | number,
): Promise<LookupAddress | LookupAddress[]> => {
  const { family = 0, all = false } = typeof options === 'number' ? { family: options } : options
  const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family
  const addresses = isIP(host) === 0 ? await ask(egress, host) : [host]
  const found = addresses
    .map((address): LookupAddress => ({ address, family: isIP(address) }))
    .filter((one) => wanted === 0 || one.family === wanted)
  if (all) return found
  const [first] = found
  if (first === undefined)
    throw Object.assign(failure('ENOTFOUND', `getaddrinfo ENOTFOUND ${host}`), { hostname: host })
  return first
}

const lookUpWithCallback = callbackify(lookUp)

const ask = (egress: string, host: string): Promise<readonly string[]> =>
  new Promise((resolve, reject) => {
    get({ socketPath: egress, path: `/resolve?host=${encodeURIComponent(host)}`, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (part: string) => (body += part))
      response.on('error', reject).on('end', () => {
        if (response.statusCode !== 200) return reject(Object.assign(refusalOf(body), { hostname: host }))
        resolve((JSON.parse(body) as { readonly addresses: readonly string[] }).addresses)
      })
    }).on('error', reject)
  })
