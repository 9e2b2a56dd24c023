// Reads a body as JSON: UTF-8, limited nesting, numbers within range. Every member is data, also `__proto__`.

import { isUtf8 } from 'node:buffer'
import { ApiError } from '../contract/errors.ts'
import { JSON_DEPTH_LIMIT } from '../contract/limits.ts'
import { holdsInfinity } from '../shared/holds-infinity.ts'

const QUOTE = 0x22
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const BACKSLASH = 0x5c
const BYTE_ORDER_MARK = '\uFEFF'

export const parseJsonBody = (body: Buffer): unknown => {
  if (!isUtf8(body)) throw new ApiError('invalid_request', 'body is not UTF-8')
  if (isDeeperThan(body, JSON_DEPTH_LIMIT)) {
    throw new ApiError('invalid_request', `body is nested deeper than ${JSON_DEPTH_LIMIT} levels`)
  }
  const text = withoutMark(body.toString('utf8'))
  const value = parse(text)
  if (holdsInfinity(text, value)) {
    throw new ApiError('invalid_request', 'body holds a number that is too large')
  }
  return value
}

const withoutMark = (text: string) => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof SyntaxError ? `: ${error.message.slice(0, 200)}` : ''
    throw new ApiError('invalid_request', `body is not JSON${reason}`)
  }
}

/**
 * Whether arrays and objects lie more than `limit` levels within one another. Decided on the bytes, before anything is
 * parsed, without recursion. For bytes that are no JSON any answer will do.
 */
export const isDeeperThan = (bytes: Buffer, limit: number): boolean => {
  let depth = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1
    if (depth > limit) return true
  }
  return false
}

/** The end of the string that begins at `start`: the first unescaped quote. */
const endOfString = (bytes: Buffer, start: number): number => {
  let at = start + 1
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at)
    if (quote < 0) return bytes.length
    let backslashes = 0
    while (bytes[quote - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return quote
    at = quote + 1
  }
}
