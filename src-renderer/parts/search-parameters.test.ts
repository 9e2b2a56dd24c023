import { describe, expect, it } from 'vitest'
import { oneOf, parseSearch, positiveInteger, someOf, stringifySearch } from './search-parameters.ts'

describe('the query string', () => {
  it('repeats the name of a list, and leaves out missing values', () => {
    const search = { status: ['failed', 'cancelled'], q: 'a b&c', version: 3, programId: undefined }
    expect(stringifySearch(search)).toBe('?status=failed&status=cancelled&q=a+b%26c&version=3')
    expect(stringifySearch({})).toBe('')
  })

  it('reads what it wrote, also hostile names', () => {
    expect(parseSearch('?status=failed&status=cancelled&q=a+b%26c')).toEqual({
      status: ['failed', 'cancelled'],
      q: 'a b&c',
    })
    expect(Object.hasOwn(parseSearch('?__proto__=1'), '__proto__')).toBe(true)
  })

  it('accepts only known choices', () => {
    expect(oneOf({ tab: 'logs' }, 'tab', ['timeline', 'logs'])).toBe('logs')
    expect(oneOf({ tab: 'x' }, 'tab', ['timeline', 'logs'])).toBeUndefined()
  })

  it('accepts several known choices, in their order', () => {
    const values = ['day', 'project', 'program'] as const
    expect(someOf({ groupBy: ['program', 'x', 'day'] }, 'groupBy', values)).toEqual(['day', 'program'])
    expect(someOf({ groupBy: 'project' }, 'groupBy', values)).toEqual(['project'])
    expect([someOf({ groupBy: 'x' }, 'groupBy', values), someOf({}, 'groupBy', values)]).toEqual([undefined, undefined])
  })

  it('accepts only whole numbers', () => {
    expect(['7', '0', '-1', '1e3', 'x', undefined].map(positiveInteger)).toEqual([
      7,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})
