// Checks a value against a JSON Schema from an artifact. Such a schema is untrusted: it is interpreted, never compiled
// to code, and has a short time limit. What may take long is checked in a thread.

import { Check, Errors } from 'typebox/schema'
import { ApiError } from '../contract/errors.ts'
import { describeFaults } from '../shared/schema-faults.ts'
import type { JsonText } from '../engine/journal.ts'
import { boundedCall } from './bounded-call.ts'

/** How long a check may take; more for large values. At 1 MiB it is 612 ms. */
const CHECK_TIMEOUT_MS = 100
const CHARACTERS_PER_EXTRA_MS = 2_048

export type CheckOutcome =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'too_slow' }
  /** The schema makes the validator fail. */
  | { readonly kind: 'unusable' }

/** Also takes the value's text, for its size. */
export type SchemaCheck = (name: string, value: unknown, text: JsonText) => CheckOutcome

export type Schema = Readonly<Record<string, unknown>> | boolean

/** With none of these, the time that a check takes grows with the schema's size times the value's. */
const UNPREDICTABLE = /"(?:pattern|patternProperties|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)":/
/** About a millisecond at most. */
const HERE_PRODUCT = 100_000
const UNLIMITED_PRODUCT = 1_000_000

/** How long a value's text may be for its check to take hardly longer than sending it to a thread does. */
export const hereUpTo = (schemaText: string): number => (mayTakeLong(schemaText) ? 0 : HERE_PRODUCT / schemaText.length)

/** How long a value's text may be for its check to need no time limit. A limit takes a thread, which the system may not have. */
export const unlimitedUpTo = (schemaText: string): number =>
  mayTakeLong(schemaText) ? 0 : UNLIMITED_PRODUCT / schemaText.length

const mayTakeLong = (schemaText: string): boolean => UNPREDICTABLE.test(schemaText)

export const createSchemaCheck = (schema: Schema, schemaText: JsonText): SchemaCheck => {
  const unlimitedCharacters = unlimitedUpTo(schemaText)
  return (name, value, text) => {
    const work = () => outcomeOf(schema, name, value)
    try {
      if (text.length <= unlimitedCharacters) return work()
      const outcome = boundedCall(CHECK_TIMEOUT_MS + Math.floor(text.length / CHARACTERS_PER_EXTRA_MS), work)
      return outcome.kind === 'done' ? outcome.value : outcome
    } catch (error) {
      if (error instanceof ApiError) throw error
      return { kind: 'unusable' }
    }
  }
}

const outcomeOf = (schema: Schema, name: string, value: unknown): CheckOutcome => {
  if (Check(schema, value)) return { kind: 'valid' }
  const [, errors] = Errors(schema, value)
  return { kind: 'invalid', message: describeFaults(name, errors) }
}
