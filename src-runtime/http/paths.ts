// Parses and classifies request paths.

import type { Home } from '../contract/operation-spec.ts'

const RESERVED = ['/v1', '/local', '/hosted', '/healthz', '/openapi.json', '/assets']

/** The path of a request's target, as it was sent: no query, no fragment, no authority. */
export const pathOf = (target: string): string => {
  const path = /^https?:\/\/[^/?#]*/i.test(target) ? target.replace(/^https?:\/\/[^/?#]*/i, '') || '/' : target
  const end = path.search(/[?#]/)
  return end < 0 ? path : path.slice(0, end)
}

/** Whether the request may be for the dashboard's page. */
export const isPagePath = (target: string): boolean => {
  const path = decoded(pathOf(target))
  return path.startsWith('/') && !RESERVED.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
}

/** As the router reads it. */
export const decoded = (path: string): string => {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Under which path the dashboard finds the API of the service that serves it. */
const PAGE_PREFIXES: Readonly<Record<Home, string>> = { local: '/local', hosted: '/hosted/current' }

/** `/local/v1/…` is `/v1/…` of a local runtime. */
export const withoutPagePrefix = (home: Home, target: string): string => {
  const prefix = PAGE_PREFIXES[home]
  return target.startsWith(`${prefix}/v1/`) ? target.slice(prefix.length) : target
}
