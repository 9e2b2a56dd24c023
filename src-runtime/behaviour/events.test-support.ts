// Contract sections 2 and 3: events and cancels, as callers send them.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import { expectRefused, type Talk } from './talk.test-support.ts'

/** The buffer holds this many events that the Program has not taken. */
const MOST_BUFFERED = 10_000
const AT_ONCE = 250

export const events: Part = (bench) => {
  let talk: Talk
  beforeAll(async () => {
    talk = await bench.talk.inProject()
    await talk.deploy('hello', {
      manifest: {
        events: [
          {
            name: 'typed',
            payloadSchema: { type: 'object', properties: { by: { type: 'string' } }, required: ['by'] },
          },
          { name: 'free' },
        ],
      },
    })
  })
  const waiting = (name = 'go') => talk.start('hello', { do: 'wait', for: name })
  const send = (id: string, json: unknown) => talk.call('POST', `/v1/executions/${id}/events`, { json })
  const ENDED = [{ do: 'return' }, { do: 'fail', message: 'x' }]

  describe('sending an event', () => {
    it('answers 202 with a receipt, and the Program gets the payload', async () => {
      const id = await waiting()
      const answer = await send(id, { name: 'go', payload: { a: ['é', null] } })
      expect(answer.status).toBe(202)
      expect(answer.json).toEqual({
        id: expect.stringMatching(/^evt_[0-9a-z]{26}$/) as string,
        executionId: id,
        name: 'go',
        receivedAt: expect.stringMatching(/Z$/) as string,
      })
      expect(await talk.result(id)).toEqual({ status: 'completed', result: { a: ['é', null] } })
    })

    it('may come without a payload', async () => {
      const id = await waiting()
      expect((await send(id, { name: 'go' })).status).toBe(202)
      expect((await talk.result(id)).status).toBe('completed')
    })

    it('keeps members of any name, and U+0000', async () => {
      const payload = '{"__proto__":{"a":null},"constructor":1,"nul":"\\u0000"}'
      const id = await waiting()
      const body = `{"name":"go","payload":${payload}}`
      await talk.call('POST', `/v1/executions/${id}/events`, { body, headers: { 'content-type': 'application/json' } })
      await talk.result(id)
      expect((await talk.call('GET', `/v1/executions/${id}/result`)).text).toContain(payload)
    })

    it.each([
      {},
      { name: '' },
      { name: 'x'.repeat(201) },
      { name: 1 },
      { name: null },
      { payload: 1 },
      { name: '\ud800' },
      [],
    ])('with %j is 400', async (body) => {
      expectRefused(await send(await waiting(), body), 400, 'invalid_request')
    })

    it.each(['é', '😀'])('accepts 200 times %s as a name, as ctx.waitForEvent does, and refuses 201', async (one) => {
      const name = one.repeat(200)
      const id = await waiting(name)
      expectRefused(await send(id, { name: one.repeat(201) }), 400, 'invalid_request')
      expect((await send(id, { name, payload: 1 })).status).toBe(202)
      expect(await talk.result(id)).toEqual({ status: 'completed', result: 1 })
      const tooLong = await talk.result(await waiting(one.repeat(201)))
      expect(tooLong.error?.message).toContain('needs a name of 1 to 200 characters')
    })

    it.each(['é', '😀'])('accepts 200 times %s as a name in a manifest, and refuses 201', async (one) => {
      const named = (length: number) => talk.deploy('named', { manifest: { events: [{ name: one.repeat(length) }] } })
      expect((await named(200)).status).toBe(201)
      expectRefused(await named(201), 400, 'invalid_request')
    })

    it('is checked if the Program declares a schema', async () => {
      const id = await waiting('never')
      const refused = await send(id, { name: 'typed', payload: { by: 1 } })
      expectRefused(refused, 400, 'invalid_input')
      expect(refused.json.error.message).toContain('payload/by must be string')
      expectRefused(await send(id, { name: 'typed' }), 400, 'invalid_input')
      for (const event of [
        { name: 'typed', payload: { by: 'me' } },
        { name: 'free', payload: 1 },
        { name: 'other', payload: [] },
      ]) {
        expect((await send(id, event)).status).toBe(202)
      }
    })

    it.each(ENDED)('to an Execution that ended (%j) is 409', async (script) => {
      const id = await talk.start('hello', script)
      await talk.result(id)
      expectRefused(await send(id, { name: 'go' }), 409, 'execution_finished')
    })

    it('to an Execution that ended is 409 whatever its payload, and 404 once it is deleted', async () => {
      const id = await waiting()
      await send(id, { name: 'go' })
      await talk.result(id)
      for (const event of [{ name: 'typed', payload: 1 }, { name: 'free' }]) {
        expectRefused(await send(id, event), 409, 'execution_finished')
      }
      await talk.call('DELETE', `/v1/executions/${id}`)
      for (const event of [{ name: 'typed', payload: 1 }, { name: 'free' }]) {
        expectRefused(await send(id, event), 404, 'execution_not_found')
      }
    })

    it('is 429 when 10,000 are not taken yet, and says when to try again, unless it is awaited', async () => {
      const id = await waiting()
      for (let sent = 0; sent < MOST_BUFFERED; sent += AT_ONCE) {
        const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(id, { name: 'other' })))
        expect(answers.every(({ status }) => status === 202)).toBe(true)
      }
      const answer = await send(id, { name: 'other' })
      expectRefused(answer, 429, 'rate_limited')
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
      expect((await send(id, { name: 'go' })).status).toBe(202) // it is awaited
      expect((await talk.result(id)).status).toBe('completed')
    })

    it('is 429 when 64 MiB are not taken yet', async () => {
      const id = await waiting()
      const payload = 'x'.repeat(1_000_000)
      let refused = 0
      for (let sent = 0; sent < 72 && refused === 0; sent += 8) {
        const answers = await Promise.all(Array.from({ length: 8 }, () => send(id, { name: 'other', payload })))
        refused += answers.filter(({ status }) => status === 429).length
        if (sent + 8 <= 64) expect(refused).toBe(0)
      }
      expect(refused).toBeGreaterThan(0)
      await talk.cancel(id)
      await talk.result(id)
      await talk.call('DELETE', `/v1/executions/${id}`)
    })

    it.each(['exe_00000000000000000000000000', 'nobody', '1', '%00', 'ver_01h455vb4pex5vsknk084sn02q'])(
      'to %s that is no Execution is 404, as on every route',
      async (id) => {
        for (const [method, rest, json] of [
          ['POST', '/events', { name: 'x' }],
          ['GET', '', undefined],
          ['GET', '/result', undefined],
          ['GET', '/history', undefined],
          ['POST', '/cancel', undefined],
          ['DELETE', '', undefined],
        ] as const) {
          const answer = await talk.call(method, `/v1/executions/${id}${rest}`, json === undefined ? {} : { json })
          expectRefused(answer, 404, 'execution_not_found')
        }
      },
    )
  })

  describe('cancelling', () => {
    it('is 202, also when repeated', async () => {
      const id = await waiting()
      const first = await talk.cancel(id)
      expect([first.status, first.json.id]).toEqual([202, id])
      expect(['cancelling', 'cancelled']).toContain(first.json.status)
      expect(await talk.result(id)).toEqual({ status: 'cancelled' })
      const again = await talk.cancel(id)
      expect([again.status, again.json]).toEqual([202, { id, status: 'cancelled' }])
      const execution = await talk.execution(id)
      expect(execution.cancelRequestedAt).toMatch(/Z$/)
      expect(Object.keys(execution)).not.toContain('result')
      expect(Object.keys(execution)).not.toContain('error')
      expectRefused(await send(id, { name: 'go' }), 409, 'execution_finished')
    })

    it.each(ENDED)('an Execution that ended (%j) is 409', async (script) => {
      const id = await talk.start('hello', script)
      await talk.result(id)
      expectRefused(await talk.cancel(id), 409, 'execution_finished')
    })
  })
}
