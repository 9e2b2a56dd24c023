import { describe, expect, it } from 'vitest'
import { readFromHost } from './messages.ts'

describe('what a host says', () => {
  it('is taken as it is when all of it is known', () => {
    const batch = [
      { kind: 'completed', id: 1, data: '{"result":1}' },
      { kind: 'completed', id: 2, data: '{}' },
      { kind: 'beat', left: 0, more: 'ignored' },
      { kind: 'blocked', stack: '' },
    ]
    expect(readFromHost(batch)).toEqual(batch)
  })

  it.each([
    [{ kind: 'completed', id: 1, data: 'null' }],
    [{ kind: 'completed', id: '1', data: '{}' }],
    [{ kind: 'failed', id: 1, error: { message: 'x' }, retryable: true }],
    [{ kind: 'log', id: 1, level: 'loud', message: 'x' }],
    [{ kind: 'ready' }],
    [new Map()],
    [null],
    ['ready'],
  ])('is left out when it is not one of ours: %j', (odd) => {
    const beat = { kind: 'beat', left: 0 }
    expect(readFromHost([beat, odd, beat])).toEqual([beat, beat])
    expect(readFromHost(odd)).toEqual([])
  })
})
