// A schema becomes code when it is first needed: most of a runtime's schemas are not, and its start does not wait.

import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

export const compileLater = <Schema extends TSchema>(
  schema: Schema,
): (() => Validator<Record<never, never>, Schema>) => {
  let validator: Validator<Record<never, never>, Schema> | undefined
  return () => (validator ??= Compile(schema))
}
