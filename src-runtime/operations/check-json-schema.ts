// Checks a value against a JSON Schema from an artifact. Such a schema is untrusted: it is interpreted, never compiled
// to code, and has a short time limit.

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

/** With none of these, the time that a check takes grows with the schema's size times the value's. */
const UNPREDICTABLE = /"(?:pattern|patternProperties|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)":/
const QUICK_PRODUCT = 1_000_000

/** How long a value's text may be for its check to need no time limit. A limit takes a thread, which the system may not have. */
export const quickUpTo = (schemaText: string): number =>
  UNPREDICTABLE.test(schemaText) ? 0 : QUICK_PRODUCT / schemaText.length

export const createSchemaCheck = (schema: Readonly<Record<string, unknown>> | boolean): SchemaCheck => {
  const quickCharacters = quickUpTo(JSON.stringify(schema))
  return (name, value, text) => {
    const work = () => outcomeOf(schema, name, value)
    try {
      if (text.length <= quickCharacters) return work()
      const outcome = boundedCall(CHECK_TIMEOUT_MS + Math.floor(text.length / CHARACTERS_PER_EXTRA_MS), work)
      return outcome.kind === 'done' ? outcome.value : outcome
    } catch (error) {
      if (error instanceof ApiError) throw error
      return { kind: 'unusable' }
    }
  }
}

const outcomeOf = (schema: Readonly<Record<string, unknown>> | boolean, name: string, value: unknown): CheckOutcome => {
  if (Check(schema, value)) return { kind: 'valid' }
  const [, errors] = Errors(schema, value)
  return { kind: 'invalid', message: describeFaults(name, errors) }
}
