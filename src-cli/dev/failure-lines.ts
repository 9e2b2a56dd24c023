// What `wes dev` prints about Executions and effects that fail: of each effect and of each version the first failure, each one
// with an error that is new, and the tenth, the hundredth … with their number, so that thousands of them do not hide what
// else it prints.

import { beginningOf } from '#runtime/shared/beginning-of.ts'
import { fingerprintOf, ownFrame } from '#runtime/shared/error-fingerprint.ts'
import type { Failure } from '#runtime/shared/failure.ts'
import { forgetOldest } from '#runtime/shared/forget-oldest.ts'
import { withCauses } from '#runtime/shared/with-causes.ts'
import { paint } from '../colour.ts'
import { oneLine } from '../text.ts'

/** Effects and versions whose failures are counted. A Program may make up names of effects. */
const COUNTED = 1_000
/** Errors of one of them that are told apart: messages may contain random text. */
const ERRORS = 10
/** Of an error with its message, and of a frame: a Program may make up both. The runtime's own messages are shorter. */
const SHOWN_CHARACTERS = 500

/** Returns a line with its line break; empty if there is nothing to print. */
export const createFailureLines = (colour: boolean): ((failure: Failure) => string) => {
  const counted = new Map<string, { readonly count: number; readonly errors: Set<string> }>()

  return (failure) => {
    const subject = subjectOf(failure)
    const { count: before, errors } = counted.get(subject) ?? { count: 0, errors: new Set() }
    const count = before + 1
    counted.set(subject, { count, errors })
    forgetOldest(counted, COUNTED)
    const error = fingerprintOf(failure.error)
    const isNew = !errors.has(error) && errors.size < ERRORS
    if (isNew) errors.add(error)
    return isNew || isPowerOfTen(count) ? lineOf(failure, subject, count, colour) : ''
  }
}

const isPowerOfTen = (count: number): boolean => /^10*$/.test(String(count))

const subjectOf = ({ programId, versionNumber, effect }: Failure): string =>
  oneLine(`${effect === undefined ? '' : `effect ${effect.name} of `}${programId} version ${versionNumber}`)

const lineOf = ({ executionId, effect, error }: Failure, subject: string, count: number, colour: boolean): string => {
  const { code, name = code, message, stack = '' } = error
  const dim = (text: string): string => (colour ? paint(text, 'dim') : text)
  const failed = colour ? paint('failed', effect?.isRetried === true ? 'amber' : 'red') : 'failed'
  const times = count > 1 && isPowerOfTen(count) ? ` for the ${count}th time` : ''
  const what = oneLine(shortened(withCauses(message === '' ? name : `${name}: ${message}`, error)))
  const frame = shortened(ownFrame(stack))
  const where = [
    ...(frame === '' ? [] : [frame]),
    executionId,
    ...(effect?.isRetried === true ? ['will be retried'] : []),
  ]
  return `${failed} ${subject}${times}: ${what}${dim(`, ${oneLine(where.join(', '))}`)}\n`
}

const shortened = (text: string): string => {
  const shown = beginningOf(text, SHOWN_CHARACTERS)
  return shown === text ? text : `${shown}…`
}
