import { describe, expect, it } from 'vitest'
import { ServiceRuntimeError } from '#sdk/index.ts'
import { startRefusal } from './start-refusal.ts'

const refused = (status: number, code: string, message = 'why') =>
  startRefusal(new ServiceRuntimeError({ status, code, message }))

describe('a refused start', () => {
  it('is shown at the field that the service names', () => {
    expect(refused(400, 'invalid_input', 'input/cents must be integer').input).toEqual([
      { path: '/cents', message: 'must be an integer' },
    ])
  })

  it('is shown at the input if that is too large', () => {
    expect(refused(413, 'payload_too_large').input[0]?.message).toContain('1 MiB')
  })

  it('is shown at the key if that was used for another request', () => {
    expect(refused(422, 'idempotency_conflict')).toEqual({ input: [], key: 'why', whole: undefined })
  })

  it('is otherwise shown for the form; a missing answer is not a refusal', () => {
    expect(refused(422, 'program_not_runnable').whole).toMatchObject({ message: 'why', code: 'program_not_runnable' })
    const may =
      'The Execution may have started all the same. Your entries are kept: try again, and it starts only once.'
    const title = 'There was no answer'
    expect(refused(0, 'network_error').whole).toMatchObject({ title, message: may })
    expect(refused(502, 'unavailable', 'POST /v1/executions answered 502').whole).toMatchObject({ title, message: may })
    expect(refused(504, 'too_slow', 'Acme did not answer in time. Try again.').whole).toMatchObject({
      title,
      message: `Acme did not answer in time. ${may}`,
    })
    expect(refused(503, 'unavailable', 'It cannot store anything.').whole?.message).toBe(
      'It cannot store anything. Your entries are kept: try again, and it starts only once.',
    )
    expect(startRefusal(null).whole).toBeUndefined()
  })
})
