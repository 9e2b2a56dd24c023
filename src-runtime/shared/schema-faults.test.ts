import { type TSchema, Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { createValidator } from './create-validator.ts'
import { describeFaults } from './schema-faults.ts'

const duration = Type.Union([Type.Number({ minimum: 0 }), Type.String({ minLength: 1 })])
const status = Type.Enum(['failed', 'completed'])
const statuses = Type.Union([status, Type.Array(status)])

const kind = (name: string, member: string, schema: TSchema) =>
  Type.Object({ kind: Type.Literal(name), [member]: schema }, { additionalProperties: false })
const payments = [kind('card', 'cents', Type.Integer()), kind('cash', 'note', Type.String())]
const either = Type.Union([Type.Object({ a: Type.Null() }), Type.Object({ b: Type.Null() })])

test.each<[string, TSchema, unknown, string]>([
  ['its own form, when it has the type of one', duration, -1, 'body must be >= 0'],
  ['its own form, when it has the type of the other', duration, '', 'body must not be empty'],
  ['all values and types, when it is none of them', statuses, 'x', 'body must be "failed", "completed" or array'],
  ['what is within it', statuses, ['x'], 'body/0 must be one of "failed", "completed"'],
  ['the types of all forms, when it has none of them', duration, null, 'body must be number or string'],
  [
    'constants too',
    Type.Union([Type.Literal('x'), Type.Null(), duration]),
    true,
    'body must be "x", null, number or string',
  ],
  ['the types at each place', Type.Object({ a: duration }), { a: {} }, 'body/a must be number or string'],
  [
    'which member it lacks, if it may be null too',
    Type.Union([either, Type.Null()]),
    {},
    'body must have "a", or must have "b"',
  ],
  [
    'what each of several forms of its type asks for',
    Type.Union([Type.String({ minLength: 3 }), Type.String({ pattern: '^[A-Z]' })]),
    'ab',
    'body must not have fewer than 3 characters, or must match pattern "^[A-Z]"',
  ],
  [
    'which faults belong to the same form',
    Type.Union([Type.Object({ id: Type.String(), at: Type.Integer() }), Type.Object({ name: Type.String() })]),
    { at: 'x' },
    'body must have "id" and body/at must be integer, or body must have "name"',
  ],
])('a value that may have several forms is told %s', (_what, schema, value, message) => {
  expect(describeFaults('body', createValidator(schema).errors(value))).toBe(message)
})

test.each([
  [{}, ['x'], 'body must contain at least 1 item of the kind asked for'],
  [{ minContains: 2 }, [1], 'body must contain at least 2 items of the kind asked for'],
  [{ maxContains: 1 }, [1, 2], 'body must not contain more than 1 item of the kind asked for'],
])('an array is told how many items of a kind it needs: %j', (counts, value, message) => {
  const schema = Type.Unsafe({ contains: { type: 'number' }, ...counts })
  expect(describeFaults('body', createValidator(schema).errors(value))).toBe(message)
})

describe.each(['anyOf', 'oneOf'])('a value of one of several kinds, as %s', (keyword) => {
  const schema = Type.Unsafe({ [keyword]: payments })
  test.each([
    [{ kind: 'card' }, 'body must have "cents"'],
    [{ kind: 'card', cents: '5' }, 'body/cents must be integer'],
    [{ kind: 'cash', note: 'n', more: 1 }, 'body must not have "more"'],
    [{ kind: 'check', note: 'n' }, 'body/kind must be "card" or "cash"'],
    [5, 'body must be object'],
  ])('is compared with the kind that it names: %j', (value, message) => {
    expect(describeFaults('body', createValidator(schema).errors(value))).toBe(message)
    const list = createValidator(Type.Object({ payments: Type.Array(schema) }))
    const place = message.replace('body', 'body/payments/1')
    const valid = { kind: 'card', cents: 5 }
    expect(describeFaults('body', list.errors({ payments: [valid, value, valid] }))).toBe(place)
  })
})

test('a value of one of many kinds is compared with the kind that it names', () => {
  const kinds = Array.from({ length: 40 }, (_, index) => kind(`k${index}`, `m${index}`, Type.Integer()))
  const { errors } = createValidator(Type.Union(kinds))
  expect(describeFaults('body', errors({ kind: 'k39' }))).toBe('body must have "m39"')
})

test('a value in a dictionary is told what is wrong with it, and not that it may not be there', () => {
  const dictionary = Type.Unsafe({ additionalProperties: { type: 'integer' } })
  expect(describeFaults('body', createValidator(dictionary).errors({ a: 'x', b: 1 }))).toBe('body/a must be integer')
})

test('a pattern of an author is told as it is', () => {
  const { errors } = createValidator(Type.String({ pattern: 'constructor' }))
  expect(describeFaults('body', errors('x'))).toBe('body must match pattern "constructor"')
})

test('a value where none is allowed is told so', () => {
  expect(describeFaults('body', createValidator(Type.Unsafe({ properties: { a: false } })).errors({ a: 1 }))).toBe(
    'body/a is not allowed',
  )
})
