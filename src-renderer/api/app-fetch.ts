// `fetch` of the page in the desktop app. Electron reads the headers of the page's requests as UTF-8, and fails the request if one
// has a character that is not Latin-1. Only an Idempotency-Key can have one, so it is sent in ASCII, and the app decodes it.

const NAME = 'idempotency-key'
const ASCII = /^[\x20-\x7e]*$/

export const fetchInApp: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  const key = headers.get(NAME)
  if (key === null || ASCII.test(key)) return fetch(input, init)
  headers.delete(NAME)
  headers.set('x-wes-idempotency-key', encodeURIComponent(key))
  return fetch(input, { ...init, headers })
}
