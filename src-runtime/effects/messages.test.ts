import { describe, expect, it } from 'vitest'
import { readFromHost } from './messages.ts'

describe('a message of a host', () => {
  it('is accepted if all of it is valid', () => {
    const batch = [
      { kind: 'completed', id: 1, data: '{"result":1}' },
      { kind: 'completed', id: 2, data: '{}' },
      { kind: 'beat', left: 0, heard: 0, more: 'ignored' },
      { kind: 'blocked', stack: '' },
    ]
    expect(readFromHost(batch)).toEqual(batch)
  })

  it.each([
    [{ kind: 'completed', id: 1, data: 'null' }],
    [{ kind: 'completed', id: '1', data: '{}' }],
    [{ kind: 'failed', id: 1, error: { message: 'x' }, retryable: true }],
    [{ kind: 'log', id: 1, lines: [{ level: 'loud', message: 'x' }] }],
    [{ kind: 'ready' }],
    [new Map()],
    [null],
    ['ready'],
  ])('is ignored if it is invalid: %j', (odd) => {
    const beat = { kind: 'beat', left: 0, heard: 0 }
    expect(readFromHost([beat, odd, beat])).toEqual([beat, beat])
    expect(readFromHost(odd)).toEqual([])
  })
})
