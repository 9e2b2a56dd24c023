// Bounds what is read of an answer: a small one may unpack to gigabytes. The page leaves that to its browser.

import { ServiceRuntimeError } from './service-runtime-error.ts'
import { type ByteReader, type FetchFunction, hasReader, type ReadResponse, web } from './web-platform.ts'

/** Four times as much as the largest answers, which are artifacts. */
const LARGEST_MIB = 64
const LARGEST_BYTES = LARGEST_MIB * 1024 * 1024

export const boundedFetch =
  (fetch: FetchFunction): FetchFunction =>
  async (url, init) => {
    const response = await fetch(url, init)
    const { status, headers, body } = response
    if (isShort(response) || !hasReader(body)) return response
    return { status, headers, body, text: () => readText(body.getReader(), status, `${init.method} ${url}`) }
  }

/** Its length says nothing where it is packed. */
const isShort = ({ headers }: ReadResponse): boolean => {
  const length = headers?.get('content-length') ?? undefined
  return length !== undefined && Number(length) <= LARGEST_BYTES && !headers?.get('content-encoding')
}

const readText = async (reader: ByteReader, status: number, request: string): Promise<string> => {
  const decoder = new web.TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value?.byteLength ?? 0
    if (bytes > LARGEST_BYTES) break
    text += decoder.decode(value, { stream: true })
  }
  reader.cancel().catch(() => {})
  throw new ServiceRuntimeError({
    status,
    code: 'invalid_response',
    message: `${request} answered ${status} with more than ${LARGEST_MIB} MiB, which is no answer of the API; check that the address is the service's.`,
  })
}
