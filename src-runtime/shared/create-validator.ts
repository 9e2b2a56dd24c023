// Checks values against a schema. Interprets the schema at first, and compiles it once it is used often: compiling
// takes as long as thousands of checks, and most schemas are not used in a runtime's first second.

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
