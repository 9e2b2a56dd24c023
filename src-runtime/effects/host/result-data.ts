// An effect's result as the journal keeps it.

import { RESULT_DEPTH_LIMIT, RESULT_LIMIT_BYTES } from '../effect-host-limits.ts'
import type { HostFailure } from '../messages.ts'
import { isInstance, messageOf } from './describe-error.ts'

export type ResultData =
  | { readonly ok: true; /** `{ result? }` */ readonly data: string }
  | { readonly ok: false; readonly error: HostFailure }

export const resultData = (effect: string, result: unknown): ResultData => {
  if (result === undefined) return { ok: true, data: '{}' }
  let text: string | undefined
  try {
    text = JSON.stringify(result)
  } catch (error) {
    if (isStackOverflow(error)) return invalid(effect, `is nested over ${RESULT_DEPTH_LIMIT} levels`)
    return invalid(effect, `cannot be turned into JSON: ${firstLine(messageOf(error))}`)
  }
  if (text === undefined) return invalid(effect, `is a ${typeof result}, which JSON cannot express`)
  const bytes = Buffer.byteLength(text)
  if (bytes > RESULT_LIMIT_BYTES) {
    return refusal('result_too_large', `the result of effect "${effect}" is larger than 1 MiB as JSON (${bytes} bytes)`)
  }
  if (isDeeperThan(text, RESULT_DEPTH_LIMIT)) return invalid(effect, `is nested over ${RESULT_DEPTH_LIMIT} levels`)
  return { ok: true, data: `{"result":${text}}` }
}

const isStackOverflow = (error: unknown): boolean =>
  isInstance(error, RangeError) && messageOf(error) === 'Maximum call stack size exceeded'

const invalid = (effect: string, why: string): ResultData =>
  refusal('invalid_result', `the result of effect "${effect}" ${why}`)

const refusal = (code: string, message: string): ResultData => ({
  ok: false,
  error: { code, name: 'EffectError', message },
})

/** V8 draws the circle over several lines. */
const firstLine = (text: string): string => text.split('\n', 1)[0]!

/** Of JSON text. Each level costs a character at both ends, so that most texts need no look. */
export const isDeeperThan = (json: string, limit: number): boolean => {
  if (json.length < 2 * limit) return false
  let depth = 0
  let inString = false
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at)
    if (inString) {
      if (character === BACKSLASH) at += 1
      else if (character === QUOTE) inString = false
    } else if (character === QUOTE) inString = true
    else if (character === OPEN_ARRAY || character === OPEN_OBJECT) {
      depth += 1
      if (depth > limit) return true
    } else if (character === CLOSE_ARRAY || character === CLOSE_OBJECT) depth -= 1
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
