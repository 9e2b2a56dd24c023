import fc from 'fast-check'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { operations } from '../contract/operations.ts'
import { createValidator } from './create-validator.ts'

const Pair = Type.Object({
  kind: Type.Literal('pair'),
  items: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 2 }),
})

test('all of a hundred checks give the same results', () => {
  const validator = createValidator(Pair)
  for (let round = 0; round < 100; round++) {
    expect(validator.check({ kind: 'pair', items: [1, 2] })).toBe(true)
    expect(validator.check({ kind: 'pair', items: [0] })).toBe(false)
    expect(validator.check({ items: [] })).toBe(false)
  }
})

test('errors have paths', () => {
  const validator = createValidator(Pair)
  expect(validator.errors({ kind: 'pair', items: [1, 0] })).toMatchObject([{ instancePath: '/items/1' }])
  expect(validator.errors({ kind: 'pair', items: [] })).toEqual([])
})

test('interpreted and compiled checks of every request body agree on any value', () => {
  const bodies = Object.values(operations).flatMap((spec) => ('body' in spec ? [spec.body] : []))
  expect(bodies.length).toBeGreaterThan(3)
  for (const schema of bodies) {
    const compiled = createValidator(schema)
    for (let round = 0; round < 30; round++) compiled.check(undefined)
    const names = Object.keys((schema as { properties?: object }).properties ?? {})
    const member = fc.tuple(fc.constantFrom(...names, 'other'), fc.jsonValue({ maxDepth: 2 }))
    const body = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.array(member, { maxLength: 5 }).map(Object.fromEntries))
    fc.assert(
      fc.property(body, (value) => compiled.check(value) === createValidator(schema).check(value)),
      { numRuns: 100 },
    )
  }
})
