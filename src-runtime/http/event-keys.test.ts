import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpRig, type HttpRig } from './http-rig.test-support.ts'

let rig: HttpRig
beforeAll(async () => {
  rig = await createHttpRig()
  await rig.deploy('hello')
})
afterAll(() => rig.close())

const waiting = () => rig.start('hello', { do: 'wait', for: 'go' })
const send = (id: string, event: unknown, key?: string) =>
  rig.call('POST', `/v1/executions/${id}/events`, {
    json: event,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })
const receivedBy = async (id: string) => {
  const { items } = (await rig.call('GET', `/v1/executions/${id}/history`)).json
  return items.filter(({ type }: { type: string }) => type === 'event_received').length as number
}

describe('an event with an Idempotency-Key', () => {
  it('is stored once, and always gets the same answer, also after the Execution has ended', async () => {
    const id = await waiting()
    const first = await send(id, { name: 'other', payload: { a: 1, b: 2 } }, 'k')
    const again = await send(id, { payload: { b: 2, a: 1 }, name: 'other' }, 'k')
    expect([first.status, again.status]).toEqual([202, 202])
    expect(again.json).toEqual(first.json)
    await send(id, { name: 'go' }, 'k2')
    await rig.call('GET', `/v1/executions/${id}/result`, { headers: { prefer: 'wait=10' } })
    expect((await send(id, { name: 'other', payload: { a: 1, b: 2 } }, 'k')).json).toEqual(first.json)
    expect((await send(id, { name: 'other' }, 'new')).json.error.code).toBe('execution_finished')
    expect(await receivedBy(id)).toBe(2)
  })

  it('is 422 if it differs', async () => {
    const id = await waiting()
    await send(id, { name: 'other', payload: 1 }, 'k')
    for (const event of [{ name: 'other', payload: 2 }, { name: 'other' }, { name: 'another', payload: 1 }]) {
      const { status, json } = await send(id, event, 'k')
      expect([status, json.error.code]).toEqual([422, 'idempotency_conflict'])
    }
    expect(await receivedBy(id)).toBe(1)
  })

  it('is stored once if it is sent many times at once', async () => {
    const id = await waiting()
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(id, { name: 'other' }, 'k')))
    expect(new Set(answers.map(({ json }) => json.id as string)).size).toBe(1)
    expect(await receivedBy(id)).toBe(1)
  })

  it('belongs to its Execution, and is not a key of a start', async () => {
    const [one, other] = [await waiting(), await waiting()]
    const first = await send(one, { name: 'other' }, 'shared')
    const second = await send(other, { name: 'other' }, 'shared')
    expect(second.json.id).not.toBe(first.json.id)
    const start = { json: { programId: 'hello' }, headers: { 'idempotency-key': 'shared' } }
    expect((await rig.call('POST', '/v1/executions', start)).status).toBe(201)
  })

  it('that was refused does not count', async () => {
    const id = await waiting()
    expect((await send(id, { name: '' }, 'k')).status).toBe(400)
    expect((await send(id, { name: 'other' }, 'k')).status).toBe(202)
    expect((await send(id, { name: 'other' }, 'x'.repeat(256))).json.error.code).toBe('invalid_request')
  })
})
