// Where a client's requests go, and as whom. Decided once, when the client is made.

/** Where a client with a token goes when nothing else is said. */
export const HOSTED_BASE_URL = 'https://api.workflow-execution-service.example'

/** Where a client without a token goes when nothing else is said: the local runtime. */
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

/** `readEnvironment` answers undefined for empty variables; empty options count as not given, too. */
export const chooseAddress = (
  options: AddressOptions,
  readEnvironment: (name: string) => string | undefined,
): Address => {
  const token = options.token || readEnvironment('SERVICE_TOKEN')
  const url =
    options.url ||
    (token
      ? (readEnvironment('SERVICE_API_BASE_URL') ?? HOSTED_BASE_URL)
      : (readEnvironment('SERVICE_RUNTIME_URL') ?? LOCAL_BASE_URL))
  return {
    baseUrl: checkUrl(url),
    ...(token ? { token: checkHeaderValue('token', token) } : {}),
    ...(options.projectId ? { projectId: checkHeaderValue('projectId', options.projectId) } : {}),
  }
}

const checkUrl = (url: string): string => {
  if (/^[^/]*:\/\/[^/?#]*@/.test(url))
    throw new TypeError('The address holds a user name or a password: pass a token instead')
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#\s]+[^?#\s]*$/.test(url)) {
    throw new TypeError(
      `The address must be absolute, without query and fragment, like ${LOCAL_BASE_URL}: it is ${JSON.stringify(url)}`,
    )
  }
  return url.replace(/\/+$/, '')
}

/** Anything else would be refused by `fetch`, with a message that quotes the value. */
const checkHeaderValue = (option: string, value: string): string => {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new TypeError(`The ${option} holds characters that no header can carry`)
  return value
}
