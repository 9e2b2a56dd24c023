import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '#sdk/index.ts'
import { suggestMembers, suggestValues } from './schema-at.ts'

const schema: JsonSchema = {
  type: 'object',
  properties: {
    note: { type: 'string', description: 'For the packer' },
    to: { $ref: '#/$defs/address' },
    lines: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/line' }, { type: 'null' }] } },
    size: { enum: ['S', 'M'], default: 'M' },
    pair: { prefixItems: [{ const: 1 }], items: { type: 'boolean' } },
  },
  required: ['to'],
  $defs: {
    address: { allOf: [{ properties: { city: { type: 'string' } } }, { properties: { zip: { type: 'string' } } }] },
    line: { type: 'object', properties: { sku: { type: ['string', 'null'] }, next: { $ref: '#/$defs/line' } } },
    loop: { $ref: '#/$defs/loop' },
  },
}

const members = (segments: readonly string[]) => suggestMembers(schema, segments).map(({ text }) => text)
const values = (segments: readonly string[]) => suggestValues(schema, segments).map(({ text }) => text)

describe('the suggestions of a schema', () => {
  it('for the members of an object: required ones first', () => {
    expect(suggestMembers(schema, []).slice(0, 2)).toEqual([
      { text: 'to', detail: 'object', description: undefined, required: true },
      { text: 'note', detail: 'string', description: 'For the packer', required: false },
    ])
  })

  it('with references, alternatives and recursion', () => {
    expect(members(['to'])).toEqual(['city', 'zip'])
    expect(members(['lines', '3'])).toEqual(['sku', 'next'])
    expect(members(['lines', '0', 'next', 'next', 'next'])).toEqual(['sku', 'next'])
    expect(members(['nowhere', 'at all'])).toEqual([])
    expect(suggestMembers({ $ref: '#/$defs/loop', $defs: { loop: { $ref: '#/$defs/loop' } } }, ['a'])).toEqual([])
  })

  it('for values', () => {
    expect(values(['size'])).toEqual(['"S"', '"M"'])
    expect(values(['pair', '0'])).toEqual(['1'])
    expect(values(['pair', '1'])).toEqual(['true', 'false'])
    expect(values(['lines', '0', 'sku'])).toEqual(['null', '""'])
    expect(values(['lines'])).toEqual(['[]'])
  })

  it('are none for an invalid schema', () => {
    const broken = { properties: 5, required: 'a', anyOf: {}, enum: 7, $ref: 1 } as unknown as JsonSchema
    expect([suggestMembers(broken, []), suggestValues(broken, ['x'])]).toEqual([[], []])
    expect(suggestMembers(true, [])).toEqual([])
  })
})
