// Reads a body as JSON: UTF-8, limited nesting, numbers within range. Every member is data, also `__proto__`.

import { isUtf8 } from 'node:buffer'
import { ApiError } from '../contract/errors.ts'
import { beginningOf } from '../shared/beginning-of.ts'
import { holdsInfinity } from '../shared/holds-infinity.ts'
import { holdsMoreValuesThan, isDeeperThan, JSON_DEPTH_LIMIT } from '../shared/json-depth.ts'

const BYTE_ORDER_MARK = '\uFEFF'

/** Artifacts are a few long texts. Millions of small values would keep the process busy for seconds. */
const LARGE_BODY = { bytes: 2 ** 20, values: 200_000 }

export const parseJsonBody = (body: Buffer): unknown => {
  if (!isUtf8(body)) throw new ApiError('invalid_request', 'body is not UTF-8')
  if (isDeeperThan(body, JSON_DEPTH_LIMIT)) {
    throw new ApiError('invalid_request', `body is nested deeper than ${JSON_DEPTH_LIMIT} levels`)
  }
  if (body.length > LARGE_BODY.bytes && holdsMoreValuesThan(body, LARGE_BODY.values)) {
    throw new ApiError('invalid_request', `body of more than 1 MiB holds more than ${LARGE_BODY.values} values`)
  }
  const text = withoutMark(body.toString('utf8'))
  const value = parse(text)
  if (holdsInfinity(text, value)) {
    throw new ApiError('invalid_request', 'body holds a number that is too large')
  }
  return value
}

/** V8 quotes the text around the fault, cut by UTF-16 units. */
const HALVES = /\p{Surrogate}/gu

const withoutMark = (text: string) => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof SyntaxError ? `: ${beginningOf(error.message, 200).replaceAll(HALVES, '…')}` : ''
    throw new ApiError('invalid_request', `body is not JSON${reason}`)
  }
}
