import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '#sdk/index.ts'
import { formSchema, TAKES_ANYTHING } from './form-data.ts'
import { isNullable } from './nullable.ts'

const text = { type: 'string' } as const
const nothing = { type: 'null' } as const

describe('a schema of one type or null', () => {
  it.each<[string, JsonSchema, object]>([
    ['as two alternatives', { anyOf: [text, nothing] }, { type: ['string', 'null'] }],
    ['the other way round', { oneOf: [{ const: null }, text] }, { type: ['string', 'null'] }],
    [
      'with its own words',
      { anyOf: [{ ...text, title: 'Inner', minLength: 2 }, nothing], description: 'Outer' },
      { type: ['string', 'null'], title: 'Inner', minLength: 2, description: 'Outer' },
    ],
    [
      'with a few values',
      { anyOf: [{ ...text, enum: ['a'] }, nothing] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    ['with one value', { anyOf: [{ ...text, const: 'a' }, nothing] }, { type: ['string', 'null'], enum: ['a', null] }],
  ])('%s has one field', (_, schema, expected) => {
    expect(formSchema({ type: 'object', properties: { a: schema } })['properties']).toEqual({ a: expected })
    expect(isNullable(expected as Record<string, unknown>)).toBe(true)
  })

  it('stays a choice when it is more than that', () => {
    const whole = { anyOf: [text, { type: 'number' }, { const: null }] }
    expect(formSchema(whole)).toEqual({
      anyOf: [
        { ...text, title: 'string', 'x-named': true },
        { type: 'number', title: 'number', 'x-named': true },
        { ...nothing, title: 'null', 'x-named': true },
      ],
    })
    const [node] = formSchema({ anyOf: [{ $ref: '#/$defs/node' }, nothing] }).anyOf ?? []
    expect(node).toEqual({ $ref: '#/$defs/node' })
    expect(formSchema({ minLength: 2, anyOf: [text, nothing] }).anyOf).toHaveLength(2)
  })
})

it('is a choice of its values, also of several types', () => {
  const size = { type: ['string', 'number', 'null'], enum: ['a', 1, null] }
  expect(formSchema({ type: 'object', properties: { size } })['properties']).toEqual({
    size: { type: 'string', enum: ['a', 1, null] },
  })
})

it.each<[JsonSchema]>([
  [{ type: ['object', 'null'] }],
  [{ type: ['array', 'null'] }],
  [{ anyOf: [{ type: 'object' }, nothing] }],
])('has one field for any JSON when it says nothing of its contents: %j', (schema) => {
  const { properties } = formSchema({ type: 'object', properties: { any: schema } })
  expect(properties?.['any']).toMatchObject({ type: 'string', [TAKES_ANYTHING]: true })
})

it('has one field for any JSON when it has several types', () => {
  const several = { type: ['string', 'number', 'null'] }
  const { properties } = formSchema({ type: 'object', properties: { several, one: { type: ['number'] } } })
  expect(properties).toEqual({ several: { type: 'string', [TAKES_ANYTHING]: true }, one: { type: ['number'] } })
  expect([several, { type: 'string' }, nothing].map(isNullable)).toEqual([false, false, false])
})
