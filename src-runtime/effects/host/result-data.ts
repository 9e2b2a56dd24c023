// An effect's result as the journal keeps it.

import { isTextDeeperThan, JSON_DEPTH_LIMIT } from '../../shared/json-depth.ts'
import { RESULT_LIMIT_BYTES } from '../effect-host-limits.ts'
import type { HostFailure } from '../messages.ts'
import { byteLength, stringify } from './built-ins.ts'
import { isInstance, messageOf } from './describe-error.ts'

export type ResultData =
  | { readonly ok: true; /** `{ result? }` */ readonly data: string }
  | { readonly ok: false; readonly error: HostFailure }

export const resultData = (effect: string, result: unknown): ResultData => {
  if (result === undefined) return { ok: true, data: '{}' }
  let text: string | undefined
  try {
    text = stringify(result)
  } catch (error) {
    if (isStackOverflow(error)) return invalid(effect, `is nested over ${JSON_DEPTH_LIMIT} levels`)
    return invalid(effect, `cannot be turned into JSON: ${firstLine(messageOf(error))}`)
  }
  if (text === undefined) {
    return invalid(
      effect,
      typeof result === 'object'
        ? 'cannot be turned into JSON: its toJSON() returns no JSON'
        : `is a ${typeof result}, which JSON cannot express`,
    )
  }
  const bytes = byteLength(text)
  if (bytes > RESULT_LIMIT_BYTES) {
    return refusal('result_too_large', `the result of effect "${effect}" is larger than 1 MiB as JSON (${bytes} bytes)`)
  }
  if (isTextDeeperThan(text, JSON_DEPTH_LIMIT)) return invalid(effect, `is nested over ${JSON_DEPTH_LIMIT} levels`)
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
