// Checks what an isolated host says about an attempt. Code of the author runs in that host and may have sent the message, so
// its shape and size must be those that the host's own code makes.

import type { EffectFailure } from '../../src-runtime/engine/effect-attempts.ts'
import { RESULT_LIMIT_BYTES } from '../../src-runtime/effects/effect-host-limits.ts'
import type { EffectLog, EffectOutcome } from '../../src-runtime/effects/effect-performer.ts'
import { beginningOf } from '../../src-runtime/shared/beginning-of.ts'
import { isTextDeeperThan, JSON_DEPTH_LIMIT } from '../../src-runtime/shared/json-depth.ts'

const LONGEST_TEXT = 65_536
const LONGEST_NAME = 256
/** `{"result":…}` */
const WRAPPING_BYTES = 16

export const checkOutcome = (name: string, outcome: EffectOutcome): EffectOutcome => {
  if (outcome.kind === 'failed') return { ...outcome, error: withinBounds(outcome.error) }
  const data = checkedData(outcome.data)
  if (data !== undefined) return { kind: 'completed', data }
  const message = `the process of effect "${name}" answered with an invalid result`
  return { kind: 'failed', retryable: false, error: { code: 'invalid_result', name: 'EffectError', message } }
}

/** Serialized again, so that it is JSON and has no other member. */
const checkedData = (text: string): string | undefined => {
  if (Buffer.byteLength(text) > RESULT_LIMIT_BYTES + WRAPPING_BYTES) return undefined
  if (isTextDeeperThan(text, JSON_DEPTH_LIMIT + 1)) return undefined
  try {
    const value = JSON.parse(text) as object
    if (Object.keys(value).some((key) => key !== 'result')) return undefined
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

const withinBounds = ({ code, message, name, stack, cause }: EffectFailure): EffectFailure => ({
  code: beginningOf(code, LONGEST_NAME),
  message: beginningOf(message, LONGEST_TEXT),
  ...(name !== undefined && { name: beginningOf(name, LONGEST_NAME) }),
  ...(stack !== undefined && { stack: beginningOf(stack, LONGEST_TEXT) }),
  ...(cause !== undefined && JSON.stringify(cause).length <= 2 * LONGEST_TEXT && { cause }),
})

/** Passes on what one attempt may log, and drops the rest. */
export const boundLog = (
  limits: { readonly logEntries: number; readonly logBytes: number },
  onLog: (entry: EffectLog) => void,
): ((entry: EffectLog) => void) => {
  // The host's own code says in one more entry how many it dropped.
  let entries = limits.logEntries + 1
  let bytes = 2 * limits.logBytes
  return ({ level, message }) => {
    entries -= 1
    bytes -= Buffer.byteLength(message)
    if (entries >= 0 && bytes >= 0) onLog({ level, message })
  }
}
