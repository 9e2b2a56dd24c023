import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../../exact-json.ts'
import { faultsOfDraft, faultsOfRefusal, maySend, readDraft, reindent } from './draft.ts'

describe('a draft', () => {
  it('distinguishes no value, null and invalid JSON', () => {
    expect(readDraft(' \n')).toEqual({ kind: 'empty' })
    expect(readDraft('null')).toEqual({ kind: 'value', value: null })
    expect(readDraft('12345678901234567890')).toEqual({ kind: 'value', value: new ExactNumber('12345678901234567890') })
    expect(readDraft('{"a":}')).toMatchObject({ kind: 'broken' })
  })

  it('is checked as JSON first, then against the schema', () => {
    const check = (value: unknown) => [{ path: '/a', message: `is ${typeof value}` }]
    expect(faultsOfDraft('{', readDraft('{'), check)[0]?.message).toMatch(/^is not JSON: /)
    expect(faultsOfDraft('', readDraft(''), check)).toEqual([{ path: '/a', message: 'is undefined' }])
    expect(faultsOfDraft('1', readDraft('1'), undefined)).toEqual([])
    const huge = JSON.stringify('x'.repeat(300_000))
    expect(faultsOfDraft(huge, readDraft(huge), check)).toEqual([])
    const tooLarge = JSON.stringify('ü'.repeat(600_000))
    expect(faultsOfDraft(tooLarge, readDraft(tooLarge), undefined)[0]?.message).toContain('1 MiB')
  })

  it('may be sent although it does not match the schema, but not if it is no JSON', () => {
    const schema = { type: 'string' }
    const sent = (text: string) => [maySend(text, schema, false), maySend(text, schema, true)]
    expect([sent('"a"'), sent('1'), sent(''), sent('{')]).toEqual([
      [true, true],
      [false, true],
      [false, true],
      [false, false],
    ])
    expect(maySend('', undefined, false)).toBe(true)
  })
})

describe('formatting', () => {
  it('changes only white space', () => {
    expect(reindent('{"a":[1.0,1e5,{ }],"a":12345678901234567890,"b":"{,\\"}"}')).toBe(
      '{\n  "a": [\n    1.0,\n    1e5,\n    {}\n  ],\n  "a": 12345678901234567890,\n  "b": "{,\\"}"\n}',
    )
  })

  it('gives the same as JSON.stringify', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(reindent(JSON.stringify(JSON.parse(text)))).toBe(JSON.stringify(JSON.parse(text), undefined, 2))
      }),
    )
  })
})

describe('an error of the service', () => {
  it.each([
    ['input/orderId must be string', [{ path: '/orderId', message: 'must be a string' }]],
    [
      'input must have "a/b", "c"',
      [
        { path: '/a~1b', message: 'is missing' },
        { path: '/c', message: 'is missing' },
      ],
    ],
    [
      'input/a/0 must be number; input/b must be one of "x; y"',
      [
        { path: '/a/0', message: 'must be a number' },
        { path: '/b', message: 'must be one of "x; y"' },
      ],
    ],
    ['input/a b must be string', [{ path: '/a b', message: 'must be a string' }]],
    [
      "input cannot be checked: the Program's schema fails on it",
      [{ path: '', message: "cannot be checked: the Program's schema fails on it" }],
    ],
    ['something else', [{ path: '', message: 'something else' }]],
  ])('is split into faults: %s', (message, faults) => expect(faultsOfRefusal('input', message)).toEqual(faults))
})
