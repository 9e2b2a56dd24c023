// The address and token of a client, resolved once when the client is created.

import { web } from './web-platform.ts'

/** The default address with a token: the hosted service. */
export const HOSTED_BASE_URL = 'https://api.workflow-execution-service.example'

/** The default address without a token: the local runtime. */
export const LOCAL_BASE_URL = 'http://localhost:3477'

export type AddressOptions = {
  readonly url?: string | undefined
  readonly token?: string | undefined
  readonly projectId?: string | undefined
}

export type Address = {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly token?: string
  readonly projectId?: string
}

/**
 * `readEnvironment` returns undefined for empty variables. Empty options also count as not given. `pageProtocol` is that
 * of the page that the client runs in, such as `app:` in a desktop app: its `fetch` knows it beside http and https.
 */
export const chooseAddress = (
  options: AddressOptions,
  readEnvironment: (name: string) => string | undefined,
  pageProtocol?: string,
): Address => {
  const token = options.token || readEnvironment('SERVICE_TOKEN')
  const variable = token ? 'SERVICE_API_BASE_URL' : 'SERVICE_RUNTIME_URL'
  const fromEnvironment = options.url ? undefined : readEnvironment(variable)
  const url = options.url || (fromEnvironment ?? (token ? HOSTED_BASE_URL : LOCAL_BASE_URL))
  return {
    baseUrl: checkUrl(fromEnvironment === undefined ? 'The address' : variable, url, pageProtocol),
    ...(token ? { token: checkHeaderValue(options.token ? 'The token' : 'SERVICE_TOKEN', token) } : {}),
    ...(options.projectId ? { projectId: checkHeaderValue('The projectId', options.projectId) } : {}),
  }
}

/** `what`: where the address comes from, in messages. */
const checkUrl = (what: string, url: string, pageProtocol: string | undefined): string => {
  if (typeof url !== 'string') throw new TypeError(`${what} must be a string, like ${LOCAL_BASE_URL}`)
  if (/^(?:[^/?#]*:\/\/)?[^/?#]*@/.test(url))
    throw new TypeError(`${what} holds a user name or a password: pass a token instead`)
  if (/[?#]/.test(url)) throw new TypeError(`${what} must have no query and no fragment, like ${LOCAL_BASE_URL}`)
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/\s]+\S*$/.test(url)) {
    throw new TypeError(`${what} must be absolute, like ${LOCAL_BASE_URL}: it is ${JSON.stringify(url)}`)
  }
  const protocol = protocolOf(url)
  if (protocol === undefined) throw new TypeError(`${what} has no valid host or port: ${JSON.stringify(url)}`)
  if (!['http:', 'https:', pageProtocol].includes(protocol)) {
    throw new TypeError(`${what} must begin with http:// or https://: it is ${JSON.stringify(url)}`)
  }
  return url.replace(/\/+$/, '')
}

/** undefined for what `fetch` could not parse. */
const protocolOf = (url: string): string | undefined => {
  try {
    return new web.URL(url).protocol
  } catch {
    return undefined
  }
}

/** `fetch` would refuse other characters with a message that contains the value. */
export const checkHeaderValue = (what: string, value: string): string => {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new TypeError(`${what} holds characters that no header can carry`)
  return value
}
