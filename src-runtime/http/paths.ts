// Parses and classifies request paths.

const RESERVED = ['/v1', '/local', '/hosted', '/healthz', '/openapi.json', '/assets']

/** The path of a request's target, as it was sent: no query, no fragment, no authority. */
export const pathOf = (target: string): string => {
  const path = /^https?:\/\/[^/?#]*/i.test(target) ? target.replace(/^https?:\/\/[^/?#]*/i, '') || '/' : target
  const end = path.search(/[?#]/)
  return end < 0 ? path : path.slice(0, end)
}

/** Whether the dashboard's page may be what is asked for. */
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

const LOCAL_API = '/local/v1/'

/** The dashboard knows this runtime as `/local`: `/local/v1/…` is `/v1/…`. */
export const withoutLocalPrefix = (target: string): string =>
  target.startsWith(LOCAL_API) ? target.slice('/local'.length) : target
