import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '#sdk/index.ts'
import { ExactNumber, parseExactJson } from '../../../exact-json.ts'
import {
  errorTreeOf,
  formRefusal,
  formSchema,
  fromFormData,
  numberText,
  startingValue,
  toFormData,
} from './form-data.ts'

describe('the values of a form', () => {
  it('contain exact numbers, and return them', () => {
    const value = parseExactJson('{"a":[12345678901234567890,1,"x",null],"b":{"c":1e400}}')
    expect(fromFormData(structuredClone(toFormData(value)))).toEqual(value)
    expect(numberText((toFormData(value) as { a: unknown[] }).a[0])).toBe('12345678901234567890')
    expect([numberText(1.5), numberText(undefined), numberText('-')]).toEqual(['1.5', '', '-'])
  })

  it('leave out members without a value', () => {
    expect(fromFormData({ a: undefined, b: { c: undefined } })).toEqual({ b: {} })
  })
})

describe('the errors of a form', () => {
  it('are shown at their fields', () => {
    const tree = errorTreeOf([
      { path: '', message: 'whole' },
      { path: '/a/0', message: 'one' },
      { path: '/a/0', message: 'two' },
      { path: '/b~1c', message: 'three' },
    ])
    expect(JSON.parse(JSON.stringify(tree))).toEqual({
      __errors: ['whole'],
      a: { 0: { __errors: ['one', 'two'] } },
      'b/c': { __errors: ['three'] },
    })
  })

  it('do not change prototypes', () => {
    errorTreeOf([
      { path: '/__proto__/polluted', message: 'x' },
      { path: '/__errors/x', message: 'y' },
    ])
    expect('polluted' in {}).toBe(false)
  })
})

describe('a form is available', () => {
  const order: JsonSchema = { type: 'object', properties: { a: { type: 'string' } } }
  it.each<[string, JsonSchema | undefined, unknown, boolean]>([
    ['without a schema', undefined, undefined, false],
    ['for anything at all', true, undefined, false],
    ['for an empty schema', {}, undefined, false],
    ['for an object of which nothing is known', { type: 'object' }, undefined, false],
    ['for a map', { type: 'object', additionalProperties: { type: 'number' } }, undefined, true],
    ['for an object', order, { a: 'x' }, true],
    ['for an object that is not right yet', order, { a: 5, more: [1] }, true],
    ['for a value of another kind', order, [1], false],
    ['for an exact number in place of an object', order, new ExactNumber('1e400'), false],
    ['for hostile names', order, JSON.parse('{"x":[{"__proto__":1}]}'), false],
    ['for a single text', { type: 'string' }, undefined, true],
    ['for a list', { type: 'array', items: { type: 'string' } }, {}, false],
  ])('%s', (_, schema, value, can) => expect(formRefusal(schema, value, '') === undefined).toBe(can))

  it('not for large values', () => {
    const properties = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`m${index}`, {}]))
    expect(formRefusal({ properties }, undefined, '')).toContain('too large')
    expect(formRefusal(order, {}, ' '.repeat(200_000))).toContain('too large')
  })
})

const titlesOf = (schema: JsonSchema) =>
  (formSchema(schema).anyOf ?? formSchema(schema).oneOf ?? []).map((option) => (option as { title?: string }).title)

it('with names of alternatives from their tag or type, without changing the schema', () => {
  const schema: JsonSchema = {
    oneOf: [{ properties: { kind: { const: 'a' } } }, { type: 'string' }, { title: 'Own' }, { const: 5 }],
  }
  const before = structuredClone(schema)
  expect(titlesOf(schema)).toEqual(['kind: "a"', 'string', 'Own', undefined])
  expect(schema).toEqual(before)
})

it('with different names for alternatives of the same type', () => {
  const street = { type: 'object', properties: { street: {}, city: {} } } as const
  const text = { type: 'string' } as const
  const anyOf = [
    text,
    { ...text, format: 'date' },
    { ...text, pattern: '^[0-9]+$' },
    street,
    { ...street },
    { type: 'object' },
  ]
  expect(titlesOf({ anyOf })).toEqual([
    'string',
    'string (date)',
    'string (^[0-9]+$)',
    'object (street, city) 1',
    'object (street, city) 2',
    'object',
  ])
})

it('with defaults of the schema only', () => {
  expect(
    startingValue({
      type: 'object',
      properties: {
        kind: { const: 'order' },
        count: { type: 'number', default: 3 },
        name: { type: 'string' },
        to: { type: 'object', properties: { country: { default: 'DE' }, city: {} } },
        empty: { type: 'object', properties: {} },
        list: { type: 'array', default: [] },
      },
      required: ['name'],
    }),
  ).toEqual({ kind: 'order', count: 3, to: { country: 'DE' }, list: [] })
  expect([startingValue(undefined), startingValue(true), startingValue({ type: 'string' })]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(startingValue({ type: 'object' })).toEqual({})
})
