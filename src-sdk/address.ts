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
  const url =
    options.url ||
    (token
      ? (readEnvironment('SERVICE_API_BASE_URL') ?? HOSTED_BASE_URL)
      : (readEnvironment('SERVICE_RUNTIME_URL') ?? LOCAL_BASE_URL))
  return {
    baseUrl: checkUrl(url, pageProtocol),
    ...(token ? { token: checkHeaderValue('token', token) } : {}),
    ...(options.projectId ? { projectId: checkHeaderValue('projectId', options.projectId) } : {}),
  }
}

const checkUrl = (url: string, pageProtocol: string | undefined): string => {
  if (typeof url !== 'string') throw new TypeError(`The address must be a string, like ${LOCAL_BASE_URL}`)
  if (/^(?:[^/?#]*:\/\/)?[^/?#]*@/.test(url))
    throw new TypeError('The address holds a user name or a password: pass a token instead')
  if (/[?#]/.test(url)) throw new TypeError(`The address must have no query and no fragment, like ${LOCAL_BASE_URL}`)
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/\s]+\S*$/.test(url)) {
    throw new TypeError(`The address must be absolute, like ${LOCAL_BASE_URL}: it is ${JSON.stringify(url)}`)
  }
  const protocol = protocolOf(url)
  if (protocol === undefined) throw new TypeError(`The address has no valid host or port: ${JSON.stringify(url)}`)
  if (!['http:', 'https:', pageProtocol].includes(protocol)) {
    throw new TypeError(`The address must begin with http:// or https://: it is ${JSON.stringify(url)}`)
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
const checkHeaderValue = (option: string, value: string): string => {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new TypeError(`The ${option} holds characters that no header can carry`)
  return value
}
