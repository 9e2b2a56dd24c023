// Checks values against a schema: interpreted at first, and by code once it is checked often. Most of a runtime's schemas
// are not used in its first second, and making code of one takes as long as checking by it thousands of times.

import type { Static, TSchema } from 'typebox'
import { Compile, type Validator as Compiled } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Check, Errors } from 'typebox/schema'

export type Validator<Schema extends TSchema> = {
  check(value: unknown): value is Static<Schema>
  errors(value: unknown): readonly TLocalizedValidationError[]
}

const INTERPRETED_CHECKS = 20

export const createValidator = <Schema extends TSchema>(schema: Schema): Validator<Schema> => {
  let checks = 0
  let compiled: Compiled<Record<never, never>, Schema> | undefined
  return {
    check: (value): value is Static<Schema> => {
      if (compiled !== undefined) return compiled.Check(value)
      if (++checks > INTERPRETED_CHECKS) compiled = Compile(schema)
      return Check(schema, value)
    },
    errors: (value) => Errors(schema, value)[1],
  }
}
