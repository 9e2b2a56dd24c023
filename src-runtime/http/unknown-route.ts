// Answers requests that match no route: with a page, or with the reason why there is nothing.

import type { IncomingMessage } from 'node:http'
import { ApiError } from '../contract/errors.ts'
import type { Home, OperationSpec } from '../contract/operation-spec.ts'
import { operationsOf } from '../contract/operations.ts'
import type { PageFile, Pages } from '../pages/pages.ts'
import { decoded, isPagePath, pathOf } from './paths.ts'
import { readAccepted } from './read-accepted.ts'

/** What only the other home serves, with any method. */
const ELSEWHERE: Readonly<Record<Home, RegExp>> = {
  local:
    /^\/v1\/(?:(?:whoami|usage|billing|workspaces)(?:\/.*)?|programs\/[^/]+\/triggers|projects\/[^/]+\/(?:triggers(?:\/.*)?|environment))$/,
  hosted: /^\/v1\/(?:source|runtime)$/,
}

/** Beside the table: the dashboard signs in and out here. */
const BESIDE_TABLE: Readonly<Record<Home, readonly Pick<OperationSpec, 'method' | 'path'>[]>> = {
  local: [],
  hosted: [
    { method: 'POST', path: '/session' },
    { method: 'DELETE', path: '/session' },
  ],
}

export type UnknownRoute =
  | { readonly kind: 'page'; readonly file: PageFile }
  | { readonly kind: 'refused'; readonly error: ApiError }

export const createUnknownRoute = (
  home: Home,
  pages: Pages,
): ((request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>) => UnknownRoute) => {
  const routes: readonly Pick<OperationSpec, 'method' | 'path' | 'notAt'>[] = [
    ...operationsOf(home).map(([, operation]) => operation),
    ...BESIDE_TABLE[home],
  ]
  const known = routes.map(({ method, path, notAt }) => ({ method, pattern: patternOf(path), notAt }))

  const allowedOn = (path: string): readonly string[] => {
    const methods = known
      .filter(({ pattern, notAt }) => path !== notAt && pattern.test(path))
      .map(({ method }) => method)
    if (path === '/' || pages.asset(path) !== undefined) methods.push('GET')
    return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].toSorted()
  }

  return (request) => {
    const { method = '', url = '', headers } = request
    const path = pathOf(url)
    if (ELSEWHERE[home].test(decoded(path))) return refused(servedElsewhere(home, path))
    if (method === 'GET' || method === 'HEAD') {
      const file = pages.asset(path) ?? (wantsPage(path, headers.accept) ? pages.index : undefined)
      if (file !== undefined) return { kind: 'page', file }
    }
    const allowed = allowedOn(decoded(path))
    if (allowed.length === 0 || allowed.includes(method))
      return refused(new ApiError('not_found', `There is nothing at ${path.slice(0, 200)}.`))
    const message = `${method} is not possible here; ${allowed.join(', ')} ${allowed.length > 1 ? 'are' : 'is'}.`
    return refused(new ApiError('method_not_allowed', message, { allow: allowed.join(', ') }))
  }
}

const refused = (error: ApiError): UnknownRoute => ({ kind: 'refused', error })

const servedElsewhere = (home: Home, path: string) =>
  home === 'local'
    ? new ApiError('hosted_only', `${path.slice(0, 200)} is served by the hosted service only, not by a local runtime.`)
    : new ApiError('local_only', `${path.slice(0, 200)} is served by local runtimes only, not by the hosted service.`)

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:[a-z]+/gi, '[^/]+')}$`)

/** At `/` itself, a caller who takes anything gets the page; elsewhere only who asks for one. Case does not count. */
const wantsPage = (path: string, accept = '*/*'): boolean => {
  if (!isPagePath(path)) return false
  const ranges = readAccepted(accept)
  const range = ranges.find(({ type }) => type === 'text/html')
  return range === undefined
    ? path === '/' && ranges.some(({ type, isTaken }) => type === '*/*' && isTaken)
    : range.isTaken
}
