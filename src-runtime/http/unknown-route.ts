// Answers requests that match no route: with a page, or with the reason why there is nothing.

import type { IncomingMessage } from 'node:http'
import { ApiError } from '../contract/errors.ts'
import { operations } from '../contract/operations.ts'
import type { PageFile, Pages } from '../pages/pages.ts'
import { decoded, isPagePath, pathOf } from './paths.ts'

/** Served by hosted services, with any method. */
const HOSTED_ONLY =
  /^\/v1\/(?:whoami|usage|billing|workspaces)(?:\/.*)?$|^\/v1\/programs\/[^/]+\/triggers$|^\/v1\/projects\/[^/]+\/triggers$/

export type UnknownRoute =
  | { readonly kind: 'page'; readonly file: PageFile }
  | { readonly kind: 'refused'; readonly error: ApiError }

export const createUnknownRoute = (pages: Pages): ((request: IncomingMessage) => UnknownRoute) => {
  const known = Object.values(operations).map(({ method, path }) => ({ method, pattern: patternOf(path) }))

  const allowedOn = (path: string): readonly string[] => {
    const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (path === '/' || pages.asset(path) !== undefined) methods.push('GET')
    return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].toSorted()
  }

  return (request) => {
    const { method = '', url = '', headers } = request
    const path = pathOf(url)
    if (HOSTED_ONLY.test(decoded(path))) return refused(new ApiError('hosted_only', hostedOnly(path)))
    if (method === 'GET' || method === 'HEAD') {
      const file = pages.asset(path) ?? (wantsPage(path, headers.accept) ? pages.index : undefined)
      if (file !== undefined) return { kind: 'page', file }
    }
    const allowed = allowedOn(path)
    if (allowed.length === 0 || allowed.includes(method))
      return refused(new ApiError('not_found', `There is nothing at ${path.slice(0, 200)}.`))
    const message = `${method} is not possible here; ${allowed.join(', ')} ${allowed.length > 1 ? 'are' : 'is'}.`
    return refused(new ApiError('method_not_allowed', message, { allow: allowed.join(', ') }))
  }
}

const refused = (error: ApiError): UnknownRoute => ({ kind: 'refused', error })

const hostedOnly = (path: string) =>
  `${path.slice(0, 200)} is served by the hosted service only, not by a local runtime.`

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:[a-z]+/gi, '[^/]+')}$`)

/** At `/` itself, a caller who takes anything gets the page; elsewhere only who asks for one. */
const wantsPage = (path: string, accept: string | undefined): boolean => {
  if (!isPagePath(path)) return false
  if (accept?.includes('text/html')) return true
  return path === '/' && (accept === undefined || accept.includes('*/*'))
}
