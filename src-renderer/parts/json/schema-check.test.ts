import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '#sdk/index.ts'
import { parseExactJson } from '../../exact-json.ts'
import { createSchemaCheck } from './schema-check.ts'

const faults = (schema: JsonSchema, value: unknown) =>
  createSchemaCheck(schema)(value).map(({ path, message }) => `${path} ${message}`)

const order: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    orderId: { type: 'string', minLength: 3 },
    cents: { type: 'integer', minimum: 1, maximum: 100 },
    currency: { enum: ['EUR', 'USD'] },
    lines: { type: 'array', items: { $ref: '#/$defs/line' }, maxItems: 2 },
  },
  required: ['orderId', 'cents'],
  additionalProperties: false,
  $defs: { line: { type: 'object', properties: { 'a/b c': { type: 'boolean' } }, required: ['sku'] } },
}

describe('checking a value against a schema', () => {
  it('finds no errors in a matching value', () => {
    expect(faults(order, { orderId: 'abc', cents: 5, currency: 'EUR', lines: [{ sku: 1 }] })).toEqual([])
    expect(faults(true, 5)).toEqual([])
  })

  it('names the position of every error', () => {
    expect(
      faults(order, { orderId: 'a', cents: 1.5, currency: 'GBP', lines: [{ 'a/b c': 1 }, 7], 'more#1': 0 }),
    ).toEqual([
      '/orderId must have at least 3 characters',
      '/cents must be an integer',
      '/currency must be one of "EUR", "USD"',
      '/lines/0/sku is missing',
      '/lines/0/a~1b c must be a boolean',
      '/lines/1 must be an object',
      '/more#1 is not allowed here',
    ])
  })

  it('names missing members by their position', () => {
    expect(faults(order, {})).toEqual(['/orderId is missing', '/cents is missing'])
    expect(faults({ required: ['a/b'] }, {})).toEqual(['/a~1b is missing'])
  })

  it('treats a missing value as null, like the service', () => {
    expect(faults(order, undefined)).toEqual([' must be an object'])
  })

  it('accepts exact numbers as numbers', () => {
    expect(faults({ type: 'integer', minimum: 5 }, parseExactJson('12345678901234567890'))).toEqual([])
    expect(faults({ type: 'string' }, parseExactJson('12345678901234567890'))).toEqual([' must be a string'])
  })

  it.each<[string, JsonSchema, unknown, string]>([
    ['exclusiveMinimum', { exclusiveMinimum: 0 }, 0, 'must be more than 0'],
    ['exclusiveMaximum', { exclusiveMaximum: 5 }, 5, 'must be less than 5'],
    ['maximum', { maximum: 5 }, 6, 'must be at most 5'],
    ['multipleOf', { multipleOf: 5 }, 6, 'must be a multiple of 5'],
    ['const', { const: { a: 1 } }, 6, 'must be {"a":1}'],
    ['format', { format: 'email' }, 'x', 'must be in the format email'],
    ['pattern', { pattern: '^a+$' }, 'x', 'does not match the pattern in the schema'],
    ['uniqueItems', { uniqueItems: true }, [1, 2, 1], 'must have unique items: items 0 and 2 are equal'],
    ['type', { type: ['string', 'null'] }, 1, 'must be a string or null'],
    ['not', { not: {} }, 1, 'matches a schema that is not allowed'],
    ['false', false, 1, 'is not allowed here'],
    ['minProperties', { minProperties: 1 }, {}, 'must have at least 1 members'],
    ['propertyNames', { propertyNames: { maxLength: 1 } }, { ab: 1 }, 'must not have the member "ab"'],
  ])('describes %s', (_, schema, value, message) => expect(faults(schema, value)).toEqual([` ${message}`]))
})

describe('one of several alternatives', () => {
  const shape: JsonSchema = {
    oneOf: [
      {
        type: 'object',
        properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
        required: ['kind', 'radius'],
      },
      {
        type: 'object',
        properties: { kind: { const: 'square' }, side: { type: 'number' } },
        required: ['kind', 'side'],
      },
      { type: 'string' },
    ],
  }
  it('is chosen by its tag, so that its own errors are shown', () => {
    expect(faults(shape, { kind: 'circle', radius: 'x' })).toEqual(['/radius must be a number'])
    expect(faults(shape, { kind: 'square' })).toEqual(['/side is missing'])
  })
  it('is chosen by its type', () => {
    expect(faults({ anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] }, 'a')).toEqual([
      ' must have at least 2 characters',
    ])
  })
  it('has an error if none matches', () => {
    expect(faults(shape, 5)).toEqual([' does not match any of the allowed schemas'])
    expect(faults({ type: 'object', properties: { shape } }, { shape: { kind: 'x' } })).toEqual([
      '/shape does not match any of the allowed schemas',
    ])
  })
})

describe('a hostile schema', () => {
  it('with a pattern that never ends is left to the service', () => {
    const text = `${'a'.repeat(60)}!`
    expect(faults({ pattern: '^(a+)+$' }, text)).toEqual([])
    expect(faults({ pattern: '^(a|a)*$' }, text)).toEqual([])
    expect(faults({ pattern: '^((a)*)*$' }, text)).toEqual([])
    expect(faults({ pattern: '^((a)+b?)*$' }, text)).toEqual([])
    expect(faults({ properties: { a: { patternProperties: { '^(a+)+$': false } } } }, { a: { [text]: 1 } })).toEqual([])
  })

  it('still checks its quick patterns', () => {
    expect(faults({ pattern: '^[A-Z(|*]{3}-(\\d+|x)(?:ab)*$' }, 'nope')).toHaveLength(1)
  })

  it('that refers to itself, or to nothing, is left to the service', () => {
    expect(faults({ $ref: '#' }, 1)).toEqual([])
    expect(faults({ $ref: '#/$defs/none' }, 1)).toEqual([])
    expect(faults({ $ref: 'https://elsewhere.test/schema' }, 1)).toEqual([])
    expect(faults({ $id: 'no address', $ref: 'neither' }, 1)).toEqual([])
  })

  it('that doubles with each reference is left to the service', () => {
    const $defs: Record<string, unknown> = { d40: { type: 'string' } }
    for (let index = 0; index < 40; index += 1) {
      $defs[`d${index}`] = { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] }
    }
    expect(faults({ $ref: '#/$defs/d0', $defs }, 1)).toEqual([])
  })

  it('with invalid keywords does not throw', () => {
    for (const schema of [
      { properties: 5 },
      { required: 'a' },
      { type: 7 },
      { items: null },
      { enum: {} },
      { anyOf: {} },
    ]) {
      expect(() => faults(schema as JsonSchema, { a: [1] })).not.toThrow()
    }
  })
})
