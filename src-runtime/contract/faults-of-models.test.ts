import { Type } from 'typebox'
import { Errors } from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { Manifest } from './models.ts'
import { describeFaults } from '../shared/schema-faults.ts'
import { NewTriggers } from './trigger-models.ts'

const faultsOf = (schema: object, value: unknown): string => describeFaults('body', Errors(schema, value)[1])

const retryOf = (retry: object) => ({ effects: [{ name: 'charge', retry }] })

describe('a fault of a value', () => {
  it.each([
    ['is empty', Type.String({ minLength: 1 }), '', 'body must not be empty'],
    ['has no items', Type.Array(Type.String(), { minItems: 1 }), [], 'body must not be empty'],
    ['has too few items', Type.Array(Type.String(), { minItems: 2 }), [], 'body must not have fewer than 2 items'],
    [
      'has a name with U+0000',
      Manifest,
      { events: [{ name: 'a\0' }] },
      'body/events/0/name must not have U+0000 in it',
    ],
    [
      'lacks a member, and one of several',
      { required: ['a'], anyOf: [{ required: ['b'] }, { required: ['c'] }] },
      {},
      'body must have "a"; body must have "b", or must have "c"',
    ],
  ])('that %s is told in words', (_, schema, value, message) => {
    expect(faultsOf(schema, value)).toBe(message)
  })
})

describe('a value that may have one of several forms', () => {
  it.each([
    ['has none of their types', Manifest, { inputSchema: 'text' }, 'body/inputSchema must be object or boolean'],
    [
      'has the type of one',
      Manifest,
      retryOf({ initialInterval: -1 }),
      'body/effects/0/retry/initialInterval must be >= 0',
    ],
    [
      'is too long',
      NewTriggers,
      Array(1001).fill({ programId: 'a', type: 'webhook' }),
      'body must not have more than 1000 items',
    ],
    ['lacks a member', NewTriggers, {}, 'body must have "triggers"'],
    ['is wrong within', NewTriggers, { triggers: [{ type: 'webhook' }] }, 'body/triggers/0 must have "programId"'],
    ['is not one of some values', { anyOf: [{ enum: ['a'] }, { type: 'array' }] }, 'b', 'body must be "a" or array'],
    [
      'has forms within forms',
      { anyOf: [{ type: 'null' }, { anyOf: [{ type: 'string' }, { type: 'number' }] }] },
      {},
      'body must be null, string or number',
    ],
    [
      'has two of them',
      { oneOf: [{ type: 'string' }, { minLength: 1 }] },
      'a',
      'body must match exactly one schema in oneOf',
    ],
  ])('%s', (_, schema, value, message) => {
    expect(faultsOf(schema, value)).toBe(message)
  })
})
