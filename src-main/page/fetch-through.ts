// A `fetch` for the client that works like the page's requests: it sends only to a runtime that has proven its
// identity.

import type { FetchFunction } from '../../src-sdk/web-platform.ts'
import type { Forward } from './forward.ts'

export const fetchThrough =
  (forward: Forward): FetchFunction =>
  (url, init) => {
    const { method, headers, body, signal } = new Request(url, init)
    const { pathname, search } = new URL(url)
    return forward({ method, headers, body, signal, path: pathname + search })
  }
