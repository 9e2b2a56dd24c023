// Sends requests to other computers, through the proxy that the environment names. The proxy learns the host and the port of a
// service: it opens a tunnel, through which this process speaks TLS with the service.

import { lookup } from 'node:dns/promises'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { createSendRequest, type SendRequest } from './send-request.ts'

/** Environment variables of a process. Names in lower case take precedence. */
export type ProxyEnvironment = Readonly<Partial<Record<ProxyVariable, string | undefined>>>
type ProxyVariable = 'HTTPS_PROXY' | 'https_proxy' | 'NO_PROXY' | 'no_proxy'

/** There is no answer because of the proxy. The message is the end of a sentence for the user. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
}

/** The environment names no proxy that could be used. The code says that the next request would fail in the same way. */
const badAddress = (message: string): ProxyError => Object.assign(new ProxyError(message), { code: 'ERR_INVALID_URL' })

/** For https only, because http addresses are on this computer. `idleMs`: how long a connection may be silent. */
export const createProxiedSend = (environment: ProxyEnvironment, idleMs: number): SendRequest => {
  const proxy = namedProxy(environment)
  if (proxy instanceof ProxyError) return () => Promise.reject(proxy)
  const proxyEnv =
    proxy === 'none' ? {} : { https_proxy: proxy.href, no_proxy: environment.no_proxy ?? environment.NO_PROXY }
  const send = createSendRequest({
    http: new HttpAgent(),
    https: new HttpsAgent({ keepAlive: true, proxyEnv }),
    idleMs,
  })
  if (proxy === 'none') return send
  return (request) =>
    send(request).catch(async (error: unknown) => {
      throw (await proxyFault(proxy, request.url.hostname, error)) ?? error
    })
}

/** The error says why the address cannot be used: Node would send requests directly, or throw when the agent is made. */
export const namedProxy = (environment: ProxyEnvironment): URL | 'none' | ProxyError => {
  const named = environment.https_proxy ?? environment.HTTPS_PROXY ?? ''
  if (named.trim() === '') return 'none'
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(named) ? named : `http://${named}`)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return badAddress('HTTPS_PROXY is not the address of an HTTP proxy, such as http://proxy.example.com:3128.')
  }
  try {
    decodeURIComponent(`${url.username}:${url.password}`)
    return url
  } catch {
    return badAddress('The user name or password in HTTPS_PROXY is not percent-encoded UTF-8: write % as %25.')
  }
}

type Failed = {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly hostname?: unknown
  readonly address?: unknown
  readonly port?: unknown
  readonly statusCode?: unknown
  readonly errors?: readonly unknown[]
}

/** Undefined: the proxy is not the cause. The text never contains the proxy's user and password. */
const proxyFault = async (proxy: URL, host: string, error: unknown): Promise<ProxyError | undefined> => {
  const { code, statusCode, errors } = (error ?? {}) as Failed
  const name = `the proxy ${proxy.host} (HTTPS_PROXY)`
  if (code === 'ERR_PROXY_TUNNEL') {
    if (statusCode === 407) {
      const message = `${name} refuses its user name or password, or wants them: http://USER:PASSWORD@${proxy.host}.`
      return Object.assign(new ProxyError(message), { statusCode })
    }
    const how = typeof statusCode === 'number' ? `answers ${statusCode}` : 'opens no tunnel'
    return new ProxyError(`${name} ${how}. If the service needs no proxy, add ${host} to NO_PROXY.`)
  }
  if (proxy.protocol === 'https:' && code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return badAddress(`${name}, or the service, does not speak TLS. Most proxies need http:// in HTTPS_PROXY.`)
  }
  const failed = (errors?.[0] ?? error ?? {}) as Failed
  if (!(await isOf(proxy, failed))) return undefined
  return new ProxyError(`${name} cannot be reached (${String(failed.code)}). Is it running, and is its address right?`)
}

export const portOf = ({ protocol, port }: URL): number => {
  const usual = protocol === 'https:' ? 443 : 80
  return port === '' ? usual : Number(port)
}

/** Node does not say whether it looked up and called the proxy or the service, which may listen on the same port. */
const isOf = async (proxy: URL, { syscall, hostname, address, port }: Failed): Promise<boolean> => {
  const host = proxy.hostname.replace(/^\[(.*)\]$/, '$1')
  if (syscall === 'getaddrinfo') return hostname === host
  if (syscall !== 'connect' || port !== portOf(proxy)) return false
  const own = await lookup(host, { all: true }).catch(() => [])
  return own.some((one) => one.address === address)
}
