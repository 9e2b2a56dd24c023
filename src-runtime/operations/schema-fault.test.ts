import { describe, expect, it } from 'vitest'
import { schemaFault } from './schema-fault.ts'

const faultOf = (schema: unknown) => schemaFault(schema, 'input')

describe('a schema', () => {
  it.each<unknown>([
    true,
    false,
    {},
    { type: 'object', properties: { a: { type: ['string', 'null'] } }, required: ['a'], additionalProperties: false },
    { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: { a: true }, $ref: '#/$defs/a' },
    {
      definitions: { 'a/b': {}, 'c~d': { e: 1 } },
      allOf: [{ $ref: '#/definitions/a~1b' }, { $ref: '#/definitions/c~0d' }],
    },
    { properties: { next: { $ref: '#' } } },
    { $id: 'https://example.com/a', $defs: { b: { $anchor: 'b' } }, $ref: '#b' },
    { $id: 'https://example.com/a', properties: { self: { $ref: 'https://example.com/a' } } },
    { items: [{}, true], additionalItems: false, dependencies: { a: ['b'], c: { required: ['d'] } } },
    { prefixItems: [{}], items: {}, contains: {}, minContains: 0, maxContains: 2, uniqueItems: true },
    { pattern: '^\\p{L}+$', patternProperties: { '^x-': {} }, propertyNames: { maxLength: 3 } },
    { minimum: 0, exclusiveMinimum: true, multipleOf: 0.01, const: { any: [1] }, enum: [1, 'a', null] },
    {
      if: {},
      then: {},
      else: {},
      not: false,
      oneOf: [{}],
      anyOf: [{}],
      dependentRequired: { a: ['b'] },
      dependentSchemas: { a: {} },
    },
    { title: 1, 'x-own': { type: 'nonsense' }, constructor: 1, hasOwnProperty: 2 },
  ])('like %j is accepted', (schema) => {
    expect(faultOf(schema)).toBeUndefined()
  })

  it.each<[unknown, string]>([
    [null, 'input must be a schema'],
    ['text', 'input must be a schema'],
    [[], 'input must be a schema'],
    [{ type: 'text' }, 'input/type must be one of'],
    [{ type: [] }, 'input/type'],
    [{ type: ['string', 1] }, 'input/type'],
    [{ properties: [] }, 'input/properties must be an object'],
    [{ properties: { a: { items: 1 } } }, 'input/properties/a/items must be a schema'],
    [{ required: 'a' }, 'input/required must be an array of strings'],
    [{ required: [1] }, 'input/required'],
    [{ allOf: [] }, 'input/allOf must be an array of schemas that is not empty'],
    [{ anyOf: {} }, 'input/anyOf'],
    [{ oneOf: [true, null] }, 'input/oneOf/1 must be a schema'],
    [{ items: [{}, 3] }, 'input/items/1'],
    [{ pattern: '(' }, 'input/pattern must be a regular expression'],
    [{ pattern: '\\-' }, 'input/pattern'],
    [{ pattern: 1 }, 'input/pattern must be a string'],
    [{ patternProperties: { '[': {} } }, 'input/patternProperties/['],
    [{ patternProperties: 1 }, 'input/patternProperties'],
    [{ minLength: -1 }, 'input/minLength'],
    [{ maxItems: 1.5 }, 'input/maxItems'],
    [{ minimum: '1' }, 'input/minimum must be a number'],
    [{ multipleOf: 0 }, 'input/multipleOf must be a number above 0'],
    [{ uniqueItems: 'yes' }, 'input/uniqueItems'],
    [{ enum: 'a' }, 'input/enum must be an array'],
    [{ dependencies: { a: 1 } }, 'input/dependencies/a'],
    [{ dependencies: [] }, 'input/dependencies'],
    [{ dependentRequired: { a: 'b' } }, 'input/dependentRequired'],
    [{ $ref: 1 }, 'input/$ref must be a string'],
    [{ $ref: '#/$defs/none' }, 'input/$ref must point into the same schema'],
    [{ $ref: '#/constructor' }, 'input/$ref'],
    [{ $ref: '#/__proto__' }, 'input/$ref'],
    [{ $ref: '#/%zz' }, 'input/$ref'],
    [{ a: [1], $ref: '#/a/0' }, 'input/$ref'],
    [{ properties: { a: { $dynamicRef: '#none' } } }, 'input/properties/a/$dynamicRef'],
    [{ $ref: 'file:///etc/passwd' }, 'input/$ref'],
  ])('like %j is refused with a reason that begins with the path', (schema, reason) => {
    expect(faultOf(schema)?.slice(0, reason.length)).toBe(reason)
  })
})
