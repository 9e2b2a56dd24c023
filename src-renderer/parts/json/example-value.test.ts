import { describe, expect, it } from 'vitest'
import { createSchemaCheck } from './schema-check.ts'
import { exampleValue } from './example-value.ts'

describe('an example of a schema', () => {
  it.each([
    {
      type: 'object',
      required: ['orderId', 'cents', 'tags', 'kind', 'at', 'address'],
      properties: {
        orderId: { type: 'string', minLength: 10 },
        cents: { type: 'integer', minimum: 5, multipleOf: 10 },
        tags: { type: 'array', minItems: 2, items: { type: 'string', maxLength: 3 } },
        kind: { enum: ['gift', 'sale'] },
        at: { type: 'string', format: 'date-time' },
        address: { type: 'object', required: ['city'], properties: { city: { type: 'string' }, zip: {} } },
        note: { type: 'string' },
      },
    },
    { anyOf: [{ type: 'null' }, { type: 'string' }] },
    { type: ['number', 'null'], exclusiveMinimum: 0, maximum: 0.5 },
    { type: 'string', examples: ['ord-1'] },
    { type: 'boolean' },
    { type: 'string', format: 'constructor' },
  ])('is a value that it accepts: %j', (schema) => {
    expect(createSchemaCheck(schema)(exampleValue(schema))).toEqual([])
  })

  it('is a number that somebody would enter, where negative ones are allowed', () => {
    const least = Number.MIN_SAFE_INTEGER
    const schemas = [{ minimum: least, maximum: -least }, { minimum: -90, maximum: 0 }, { minimum: 0 }]
    expect(schemas.map((schema) => exampleValue({ type: 'integer', ...schema }))).toEqual([1, 0, 0])
  })

  it('leaves out optional members, and is missing if the schema allows anything', () => {
    expect(exampleValue({ type: 'object', properties: { note: { type: 'string' } } })).toEqual({})
    expect([exampleValue(undefined), exampleValue(true), exampleValue({})]).toEqual([undefined, undefined, undefined])
  })
})
