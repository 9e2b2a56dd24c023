import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { preferredWait } from './preferences.ts'

describe('a Prefer header', () => {
  it.each([
    ['wait=10', 10],
    ['wait=0', 0],
    ['WAIT = 10', 10],
    ['wait="10"', 10],
    ['respond-async, wait=10', 10],
    ['respond-async,wait=10,handling=lenient', 10],
    ['handling="a, wait=3", wait=10', 10],
    ['foo="a\\", wait=3", wait=10', 10],
    ['wait=10; foo=bar', 10],
    [', wait=10', 10],
    ['wait=5, wait=10', 5],
    ['wait=61', 60],
    ['wait=99999999999999999999999', 60],
  ])('%s waits %d seconds', (header, seconds) => {
    expect(preferredWait(header)).toBe(seconds)
  })

  it.each([
    ['nothing', ''],
    ['no value', 'wait'],
    ['an empty value', 'wait='],
    ['a word', 'wait=soon'],
    ['a negative number', 'wait=-1'],
    ['a fraction', 'wait=1.5'],
    ['an exponent', 'wait=1e1'],
    ['another preference', 'await=10'],
    ['a longer name', 'wait-more=10'],
    ['a first wait that cannot be read', 'wait=x, wait=10'],
    ['a preference within quotes', 'foo="wait=10"'],
    ['more than anyone would write', `wait=1,${' '.repeat(1_000)}`],
  ])('with %s is ignored', (_what, header) => {
    expect(preferredWait(header)).toBeUndefined()
  })

  it('never fails, with any content', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', '\\', ',', ';', '=', ' ', 'wait', '1', 'x') }), (header) => {
        const seconds = preferredWait(header)
        expect(seconds === undefined || (seconds >= 0 && seconds <= 60)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
