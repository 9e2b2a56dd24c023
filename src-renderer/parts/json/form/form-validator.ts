// The form library's validator. It only decides which alternative a value matches; the faults on screen come from
// outside, so that the form and the editor show the same ones.

import type { RJSFSchema, ValidatorType } from '@rjsf/utils'
import type { JsonSchema } from '#sdk/index.ts'
import { createSchemaCheck, type SchemaCheck } from '../schema-check.ts'
import { fromFormData } from './form-data.ts'

export const createFormValidator = (): ValidatorType<unknown, RJSFSchema> => {
  const checks = new WeakMap<object, SchemaCheck>()
  const checkOf = (schema: RJSFSchema, root: RJSFSchema): SchemaCheck => {
    const known = checks.get(schema)
    if (known !== undefined) return known
    const { $defs, definitions } = root
    const whole = { ...($defs && { $defs }), ...(definitions && { definitions }), ...schema } as JsonSchema
    const check = createSchemaCheck(whole)
    checks.set(schema, check)
    return check
  }
  return {
    validateFormData: () => ({ errors: [], errorSchema: {} }),
    isValid: (schema, data, root) => checkOf(schema, root)(fromFormData(data)).length === 0,
    rawValidation: () => ({ errors: [] }),
  }
}
