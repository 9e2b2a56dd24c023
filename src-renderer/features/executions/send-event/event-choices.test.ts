import { describe, expect, it } from 'vitest'
import { eventChoices, eventNameFault, payloadSchemaOf } from './event-choices.ts'

const since = '2026-01-01T00:00:00.000Z'

describe('the names of an event', () => {
  it('are the awaited ones, each once, then the declared ones', () => {
    const waitingFor = [
      { kind: 'event', name: 'approved', since, timeoutAt: '2026-01-02T00:00:00.000Z' },
      { kind: 'timer', wakeAt: since },
      { kind: 'event', name: 'approved', since: '2026-01-01T01:00:00.000Z' },
      { kind: 'event', name: 'unknown to the manifest', since },
    ] as const
    expect(eventChoices(waitingFor, [{ name: 'rejected' }, { name: 'approved' }])).toEqual({
      awaited: [
        { name: 'approved', since, timeoutAt: '2026-01-02T00:00:00.000Z' },
        { name: 'unknown to the manifest', since, timeoutAt: undefined },
      ],
      others: [{ name: 'rejected' }],
    })
    expect(eventChoices([], [])).toEqual({ awaited: [], others: [] })
  })

  it('have the schema of their payload', () => {
    expect(payloadSchemaOf([{ name: 'a', payloadSchema: true }], 'a')).toBe(true)
    expect(payloadSchemaOf([{ name: 'a' }], 'b')).toBeUndefined()
  })

  it('have 1 to 200 characters', () => {
    expect(['', 'a', '💥'.repeat(200), 'a'.repeat(201)].map((name) => eventNameFault(name) === undefined)).toEqual([
      false,
      true,
      true,
      false,
    ])
  })
})
