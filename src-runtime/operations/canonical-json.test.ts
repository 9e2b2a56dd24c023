import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalDigest, canonicalJson } from './canonical-json.ts'

describe('canonical JSON', () => {
  it('is the same as from another implementation of RFC 8785', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value))
      }),
      { numRuns: 300 },
    )
  })

  it('orders members by their UTF-16 code units at every level', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"\\ufb33":2,"\\ud83d\\ude00":3,"a":{"z":1,"__proto__":[2]}}'))).toBe(
      '{"a":{"__proto__":[2],"z":1},"b":1,"\ud83d\ude00":3,"\ufb33":2}',
    )
  })

  it('writes numbers like the RFC', () => {
    expect(canonicalJson([-0, 1e21, 1e-7, 333333333.33333329, 4.5, 1e30, 0.002])).toBe(
      '[0,1e+21,1e-7,333333333.3333333,4.5,1e+30,0.002]',
    )
  })

  it('accepts an unpaired surrogate, which the RFC refuses', () => {
    expect(canonicalJson('\ud800')).toBe(String.raw`"\ud800"`)
  })

  it('is hashed as UTF-8', () => {
    expect(canonicalDigest('é')).toBe('f2886017e9c7abacf804b54d64787dce2b611c9544ba21f3affdd126a6e50086')
  })
})
