import { type TSchema, Type } from 'typebox'
import { expect, test } from 'vitest'
import { createValidator } from './create-validator.ts'
import { describeFaults } from './schema-faults.ts'

const duration = Type.Union([Type.Number({ minimum: 0 }), Type.String({ minLength: 1 })])
const status = Type.Enum(['failed', 'completed'])
const statuses = Type.Union([status, Type.Array(status)])

test.each<[string, TSchema, unknown, string]>([
  ['its own form, when it has the type of one', duration, -1, 'body must be >= 0'],
  ['its own form, when it has the type of the other', duration, '', 'body must not have fewer than 1 characters'],
  ['its own form, when that lists values', statuses, 'x', 'body must be one of "failed", "completed"'],
  ['what is within it', statuses, ['x'], 'body/0 must be one of "failed", "completed"'],
  ['the types of all forms, when it has none of them', duration, null, 'body must be number or string'],
  ['the types at each place', Type.Object({ a: duration }), { a: {} }, 'body/a must be number or string'],
])('a value that may have several forms is told %s', (_what, schema, value, message) => {
  expect(describeFaults('body', createValidator(schema).errors(value))).toBe(message)
})
