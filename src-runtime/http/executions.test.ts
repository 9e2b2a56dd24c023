import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpRig, type HttpRig } from './http-rig.test-support.ts'

let rig: HttpRig
beforeAll(async () => {
  rig = await createHttpRig()
  await rig.deploy('hello')
})
afterAll(() => rig.close())

describe('starting an Execution', () => {
  it('answers 201 with the Execution and where it is', async () => {
    const answer = await rig.call('POST', '/v1/executions', { json: { programId: 'hello', input: { do: 'return' } } })
    expect(answer.status).toBe(201)
    expect(answer.headers['location']).toBe(`/v1/executions/${answer.json.id}`)
    expect(answer.json).toMatchObject({ programId: 'hello', status: 'queued', input: { do: 'return' }, waitingFor: [] })
  })
  it('holds the result', async () => {
    const id = await rig.start('hello', { do: 'return', value: { a: [1] } })
    const answer = await rig.call('GET', `/v1/executions/${id}/result`, { headers: { prefer: 'wait=5' } })
    expect(answer.json).toEqual({ status: 'completed', result: { a: [1] } })
    expect(answer.headers['preference-applied']).toBe('wait=5')
  })
})
