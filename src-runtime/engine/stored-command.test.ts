import { describe, expect, it } from 'vitest'
import { DamagedExecution } from './damaged-execution.ts'
import { readStoredCommand, type StoredCommand } from './stored-command.ts'

const NONE = { name: null, dueAt: null, attempt: null, position: null, isEarly: false, deaths: null, options: null }
const read = (stored: Pick<StoredCommand, 'kind'> & Partial<StoredCommand>) =>
  readStoredCommand({ ...NONE, command: 7, since: 1, ...stored })

describe('a stored command', () => {
  it('has only the members that its columns hold', () => {
    expect(read({ kind: 'event', name: 'go' })).toEqual({ kind: 'event', command: 7, since: 1, name: 'go' })
    expect(read({ kind: 'event', name: 'go', dueAt: 5, position: 3, isEarly: true })).toEqual({
      ...{ kind: 'event', command: 7, since: 1, name: 'go', dueAt: 5, position: 3, early: true },
    })
    expect(read({ kind: 'timer', dueAt: 5 })).toEqual({ kind: 'timer', command: 7, since: 1, dueAt: 5 })
    const effect = { kind: 'effect', name: 'pay', attempt: 2, options: '{"timeoutMs":9}' } as const
    const expected = { kind: 'effect', command: 7, since: 1, name: 'pay', attempt: 2, options: { timeoutMs: 9 } }
    expect(read(effect)).toEqual(expected)
    expect(read({ ...effect, deaths: 1 })).toEqual({ ...expected, deaths: 1 })
  })

  it.each([
    [{ kind: 'event' }, 'name'],
    [{ kind: 'timer' }, 'time'],
    [{ kind: 'effect', attempt: 1, options: '{}' }, 'name'],
    [{ kind: 'effect', name: 'pay', options: '{}' }, 'name'],
    [{ kind: 'effect', name: 'pay', attempt: 1 }, 'options'],
    [{ kind: 'effect', name: 'pay', attempt: 1, options: '{' }, 'options'],
  ] as const)('is damaged as %j: the %s is missing', (stored, part) => {
    const expected = new DamagedExecution(`the ${part} of open command 7 is missing or cannot be read`)
    expect(() => read(stored)).toThrow(expected)
  })
})
