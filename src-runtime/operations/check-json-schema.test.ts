import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundedCall } from './bounded-call.ts'
import { createSchemaCheck, type Schema } from './check-json-schema.ts'
import { manifestFault } from './manifest-fault.ts'

const check = (schema: Schema, value: unknown) =>
  createSchemaCheck(schema, JSON.stringify(schema))('input', value, JSON.stringify(value))
const isValid = (schema: Schema, value: unknown): boolean => {
  const outcome = check(schema, value)
  if (outcome.kind !== 'valid' && outcome.kind !== 'invalid') throw new Error(outcome.kind)
  return outcome.kind === 'valid'
}

describe('a call with a time limit', () => {
  const bounded = <Value>(work: () => Value) => boundedCall(50, work)
  const forEver = () => {
    for (;;);
  }
  const urlOf = (module: string): string => new URL(module, import.meta.url).href

  it.runIf(process.platform === 'linux')('is refused without file descriptors, but most schemas need none', () => {
    const script = `
      import { closeSync, openSync } from 'node:fs'
      import { boundedCall } from '${urlOf('bounded-call.ts')}'
      import { createSchemaCheck } from '${urlOf('check-json-schema.ts')}'
      import { manifestFault } from '${urlOf('manifest-fault.ts')}'
      const inputSchema = { properties: { at: { format: 'date-time' } } }
      const opened = []
      try { for (;;) opened.push(openSync('/dev/null')) } catch {}
      try { boundedCall(50, () => 1); console.log('called') } catch ({ code }) { console.log(code) }
      console.log(manifestFault({}), manifestFault({ inputSchema }))
      console.log(createSchemaCheck(inputSchema, JSON.stringify(inputSchema))('input', { at: 'today' }, '{"at":"today"}').kind)
      for (const descriptor of opened) closeSync(descriptor)
      console.log(boundedCall(50, () => 1).value)`
    const shell = `ulimit -n 100; exec "$0" --input-type=module -e "$1"`
    const { stdout } = spawnSync('/bin/sh', ['-c', shell, process.execPath, script], { encoding: 'utf8' })
    expect(stdout).toBe('unavailable\nundefined undefined\ninvalid\n1\n')
  })

  it('returns the result, and throws the error', () => {
    expect(bounded(() => ({ a: 1 }))).toEqual({ kind: 'done', value: { a: 1 } })
    expect(() => bounded(() => JSON.parse('{'))).toThrow(SyntaxError)
  })

  it.each([
    ['a loop', forEver],
    [
      'a loop that catches everything',
      () => {
        for (;;) {
          try {
            forEver()
          } catch {
            // Whatever it is, go on.
          }
        }
      },
    ],
    [
      'a loop that cleans up for ever',
      () => {
        try {
          forEver()
        } finally {
          forEver()
        }
      },
    ],
    ['backtracking', () => /^(a+)+$/u.test(`${'a'.repeat(60)}!`)],
    ['a sort with a slow order', () => [3, 2, 1].toSorted(() => forEver())],
  ])('ends %s in time, and works again afterwards', (_what, work) => {
    expect(bounded<unknown>(work)).toEqual({ kind: 'too_slow' })
    expect(bounded(() => 1)).toEqual({ kind: 'done', value: 1 })
  })

  it('runs work again that did not get the CPU', () => {
    let runs = 0
    // Waits for nothing without using the processor, as a process does on a busy machine. The second time, for little more
    // than the first limit, so that the second one is not over on a machine that is really busy.
    const starve = () => {
      runs += 1
      return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, runs === 1 ? 1_000 : 60)
    }
    expect(bounded(starve)).toEqual({ kind: 'done', value: 'timed-out' })
    expect(runs).toBe(2)
  })
})

describe('checking against a schema', () => {
  it.each<[Schema, readonly unknown[], readonly unknown[]]>([
    [true, [null, 1], []],
    [false, [], [null, 1]],
    [{ type: 'integer' }, [1, 1.0], [1.5, '1', null]],
    [{ type: ['string', 'null'] }, ['', null], [1, {}]],
    [{ type: 'object' }, [{}], [[], null, 'x']],
    [{ required: ['constructor'] }, [JSON.parse('{"constructor":1}')], [{}, { toString: 1 }]],
    [{ required: ['__proto__'] }, [JSON.parse('{"__proto__":1}')], [{}]],
    [
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as Schema,
      [{}, JSON.parse('{"__proto__":"a"}')],
      [JSON.parse('{"__proto__":1}')],
    ],
    [{ properties: { a: { type: 'string' } }, additionalProperties: false }, [{}, { a: '' }], [{ a: 1 }, { b: 1 }]],
    [{ minLength: 2, maxLength: 2 }, ['😀😀', 1], ['a', 'abc']],
    [{ pattern: '^a+$' }, ['aa', 3], ['b']],
    [{ enum: [1, { a: [null] }] }, [1, { a: [null] }], [2, { a: [] }]],
    [{ const: 'x' }, ['x'], ['y']],
    [{ uniqueItems: true }, [[1, '1']], [[{ a: 1 }, { a: 1 }]]],
    [{ $defs: { n: { type: 'number' } }, items: { $ref: '#/$defs/n' } }, [[1, 2]], [['a']]],
    [
      { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false },
      [{ next: { next: {} } }],
      [{ next: { next: 1 } }],
    ],
    [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 5], [4]],
    [{ oneOf: [{ type: 'number' }, { minimum: 5 }] }, [4, 'a'], [5]],
    [{ not: { type: 'null' } }, [1], [null]],
    [{ if: { type: 'string' }, then: { minLength: 1 } }, ['a', 1], ['']],
    [{ format: 'date-time' }, ['2026-01-31T12:00:00Z'], ['yesterday']],
    [{ format: 'unheard-of' }, ['anything'], []],
  ])('%j accepts only values that match', (schema, good, bad) => {
    expect(good.map((value) => isValid(schema, value))).toEqual(good.map(() => true))
    expect(bad.map((value) => isValid(schema, value))).toEqual(bad.map(() => false))
  })

  it('reports path and problem', () => {
    const schema = { properties: { a: { items: { type: 'string' } } }, required: ['b'] }
    expect(check(schema, { a: ['x', 1] })).toEqual({
      kind: 'invalid',
      message: expect.stringContaining('input/a/1 must be string') as string,
    })
    expect(check(schema, { a: [] })).toEqual({ kind: 'invalid', message: expect.stringContaining('b') as string })
  })

  it('limits the length of its message', () => {
    const value = Object.fromEntries(Array.from({ length: 100 }, (_, index) => ['x'.repeat(5_000) + index, 1]))
    const outcome = check({ additionalProperties: { type: 'string' } }, value)
    expect(outcome.kind === 'invalid' && outcome.message.length).toBeLessThanOrEqual(1_000)
  })

  it('allows the time that large data needs', () => {
    const items = {
      type: 'object',
      properties: { email: { type: 'string', pattern: '^[a-z0-9.]+@[a-z0-9.]+$' }, at: { format: 'date-time' } },
      required: ['email', 'at'],
    }
    const value = Array.from({ length: 12_000 }, (_, index) => ({
      email: `user${index}@example.com`,
      at: '2026-01-31T12:00:00Z',
    }))
    expect(JSON.stringify(value).length).toBeGreaterThan(700_000)
    expect(check({ items }, value)).toEqual({ kind: 'valid' })
  })

  const deep = (depth: number): unknown => (depth === 0 ? {} : { a: deep(depth - 1) })
  const doubled = (depth: number): Schema => ({
    $defs: Object.fromEntries([
      ['d0', { type: 'string' }],
      ...Array.from({ length: depth }, (_, index) => [
        `d${index + 1}`,
        { allOf: [{ $ref: `#/$defs/d${index}` }, { $ref: `#/$defs/d${index}` }] },
      ]),
    ]) as Record<string, unknown>,
    $ref: `#/$defs/d${depth}`,
  })
  it.each<[string, Schema, unknown]>([
    ['a pattern that backtracks', { pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
    ['a property name that backtracks', { patternProperties: { '^(a|a)*$': {} } }, { [`${'a'.repeat(60)}!`]: 1 }],
    ['references that double', doubled(40), 'x'],
    [
      'a recursion that branches',
      { properties: { a: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } }, required: ['z'] },
      deep(60),
    ],
    [
      'many alternatives on much data',
      { items: { anyOf: Array.from({ length: 2_000 }, (_, index) => ({ const: index })) } },
      Array(100_000).fill(1_999),
    ],
    ['many equal items', { uniqueItems: true }, Array(24_900).fill(1)],
  ])('%s: ends in time', (_what, schema, value) => {
    const { kind } = check(schema, value)
    expect(['too_slow', 'unusable']).toContain(kind)
  })

  it.each<[string, Schema]>([
    ['refers to itself', { $ref: '#' }],
    [
      'refers to itself in a circle',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
    ],
    ['refers to itself through alternatives', { anyOf: [{ type: 'string' }, { $ref: '#' }] }],
    ['doubles', doubled(60)],
    ['has an identifier that is no URL', { $id: 'http://[', $ref: 'http://[' }],
  ])('one that %s is refused at deploy, in time', (_what, inputSchema) => {
    expect(manifestFault({ inputSchema })).toMatch(/^manifest\/inputSchema /)
  })

  it('never fails in another way, for any schema and value', () => {
    const keyword = fc.constantFrom(
      'type',
      'properties',
      'items',
      'anyOf',
      'allOf',
      'not',
      'required',
      'pattern',
      'format',
      'enum',
      'const',
      '$ref',
      '$id',
      '$defs',
      '$anchor',
      'if',
      'then',
      'uniqueItems',
      'minimum',
      'propertyNames',
      'patternProperties',
      'prefixItems',
      'contains',
      'dependencies',
      'unevaluatedProperties',
      '~kind',
      '~refine',
      '~optional',
      '$recursiveRef',
      '$dynamicRef',
      'multipleOf',
    )
    const node = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.constantFrom('string', '#', '#/$defs/a', 'object', '(a'),
        tie('object'),
        tie('list'),
      ),
      object: fc.dictionary(keyword, tie('node'), { maxKeys: 4 }),
      list: fc.array(tie('node'), { maxLength: 3 }),
    })).object
    fc.assert(
      fc.property(node, fc.jsonValue({ maxDepth: 3 }), (schema, value) => {
        expect(['valid', 'invalid', 'too_slow', 'unusable']).toContain(check(schema, value).kind)
        const fault = manifestFault({ inputSchema: schema })
        expect(fault === undefined || typeof fault === 'string').toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})
