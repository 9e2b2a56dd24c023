// Refuses requests from foreign pages. Any page in a browser can send requests to a loopback port, and a page that
// rebinds its name to 127.0.0.1 can read the answers. So only our own host names and origins are allowed.

import type { IncomingMessage } from 'node:http'
import { ApiError } from '../contract/errors.ts'
import { isPagePath } from './paths.ts'
import { isRepeated } from './repeated-header.ts'
import { beginningOf } from '../shared/beginning-of.ts'

export type Guard = (request: IncomingMessage) => ApiError | undefined

const HTTP_PORT = 80
const NO_HOST = 'A request must name its Host.'

export const createGuard = (port: () => number): Guard => {
  let knownPort = -1
  let hosts: ReadonlySet<string> = new Set()

  const ownHosts = () => {
    const current = port()
    if (current !== knownPort) {
      hosts = namesOf(current)
      knownPort = current
    }
    return hosts
  }

  return (request) => {
    const { headers } = request
    const host = headers.host
    const own = ownHosts()
    if (host === undefined || !own.has(host.toLowerCase()) || namesTwoHosts(request)) return forbiddenHost(host)
    if (request.url?.charCodeAt(0) !== SLASH && !isOwnTarget(request.url ?? '', own)) return forbiddenHost(request.url)
    const { origin } = headers
    if (origin !== undefined) return origin === `http://${host.toLowerCase()}` ? undefined : forbiddenOrigin(origin)
    const site = headers['sec-fetch-site']
    if (site === undefined || site === 'same-origin' || site === 'none' || isNavigation(request)) return undefined
    return forbiddenOrigin(`a ${String(site)} page`)
  }
}

/** Of a service that has any host names: what RFC 9112, 3.2 asks of every server. */
export const guardSyntaxOfHost: Guard = (request) => {
  if (namesTwoHosts(request)) return new ApiError('invalid_request', 'A request must name one Host, not several.')
  const isMissing = request.headers.host === undefined && request.httpVersion !== '1.0'
  return isMissing ? new ApiError('invalid_request', NO_HOST) : undefined
}

/** A proxy in front may have used another one than Node keeps. */
const namesTwoHosts = (request: IncomingMessage): boolean => isRepeated(request, 'host')

const SLASH = 47

const namesOf = (port: number): ReadonlySet<string> => {
  const names = ['localhost', '127.0.0.1', '[::1]']
  return new Set([...names.map((name) => `${name}:${port}`), ...(port === HTTP_PORT ? names : [])])
}

/** An absolute URL as the target must name our own host too, whatever the Host header says; `*` names none. */
const isOwnTarget = (target: string, own: ReadonlySet<string>): boolean => {
  if (target === '*') return true
  const [, authority] = /^http:\/\/([^/?#]*)/i.exec(target) ?? []
  return authority !== undefined && own.has(authority.toLowerCase())
}

/** Following a link from another site to one of our pages is allowed. */
const isNavigation = ({ method, url = '', headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document' &&
  isPagePath(url)

const forbiddenHost = (host: string | undefined) =>
  new ApiError(
    'forbidden_host',
    host === undefined ? NO_HOST : 'This runtime answers only to localhost, 127.0.0.1 and [::1], with its port.',
  )

const forbiddenOrigin = (origin: string) =>
  new ApiError('forbidden_origin', `This runtime takes no requests from ${beginningOf(origin, 200)}.`)
