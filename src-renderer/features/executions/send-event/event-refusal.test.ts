import { describe, expect, it } from 'vitest'
import { ServiceRuntimeError } from '#sdk/index.ts'
import { eventRefusal } from './event-refusal.ts'

const refused = (status: number, code: string, message = 'why') =>
  eventRefusal(new ServiceRuntimeError({ status, code, message }))

describe('a refused event', () => {
  it('is shown at the payload if it does not match the schema or is too large', () => {
    expect(refused(400, 'invalid_input', 'payload must have "by"').payload).toEqual([
      { path: '/by', message: 'is missing' },
    ])
    expect(refused(413, 'payload_too_large').payload[0]?.message).toContain('1 MiB')
  })

  it('is shown in the words of the service if there were too many events, or too many requests', () => {
    expect(refused(429, 'rate_limited', 'This token may send 1000 requests per second.').whole?.message).toBe(
      'This token may send 1000 requests per second.',
    )
  })

  it('is shown with advice', () => {
    expect(refused(409, 'execution_finished').whole?.message).toContain('has ended')
    expect(refused(0, 'network_error').whole?.message).toContain('may have arrived')
    expect(refused(503, 'unavailable', 'It cannot store anything.').whole?.message).toBe(
      'It cannot store anything. You can send it again: it is stored only once.',
    )
    expect(refused(404, 'execution_not_found').whole?.message).toContain('deleted')
    expect(refused(500, 'internal').whole).toEqual({
      title: 'The event was not sent',
      message: 'why',
      code: 'internal',
    })
    expect(eventRefusal(null).whole).toBeUndefined()
  })
})
