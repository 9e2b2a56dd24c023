// Contract sections 2 and 10: starts and events that are sent again with the same Idempotency-Key.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import { expectRefused, type Talk } from './talk.test-support.ts'

const key = (name: string) => ({ 'idempotency-key': name })

export const idempotency: Part = (bench) => {
  let talk: Talk
  beforeEach(async () => {
    talk = await bench.talk.inProject()
    await talk.deploy('hello')
  })
  const start = (json: unknown, headers: Record<string, string | string[]> = {}) =>
    talk.call('POST', '/v1/executions', { json, headers })

  describe('a repeated start', () => {
    it('answers 200 with the first Execution’s current state, also if the body is formatted differently', async () => {
      const first = await start({ programId: 'hello', input: { a: 1, b: { c: [1], d: 2 } } }, key('k'))
      await talk.result(first.json.id as string)
      const again = await talk.call('POST', '/v1/executions', {
        body: '{ "input": {"b":{"d":2,"c":[1.0]},"a":1e0}, "programId": "hello" }',
        headers: { 'content-type': 'application/json', ...key('k') },
      })
      expect([first.status, again.status, again.json.id]).toEqual([201, 200, first.json.id])
      expect(again.headers['location']).toBe(`/v1/executions/${first.json.id as string}`)
      expect(again.json).toMatchObject({ status: 'completed', input: { a: 1, b: { c: [1], d: 2 } } })
    })

    it('with another body is 422', async () => {
      await start({ programId: 'hello', input: 1 }, key('k'))
      for (const body of [
        { programId: 'hello', input: 2 },
        { programId: 'hello' },
        { programId: 'hello', input: 1, version: 1 },
        { programId: 'other', input: 1 },
      ]) {
        expectRefused(await start(body, key('k')), 422, 'idempotency_conflict')
      }
    })

    it('has one key: a second one is 400', async () => {
      for (const keys of [
        ['k', 'm'],
        ['k', 'k'],
      ]) {
        const headers = { 'idempotency-key': keys }
        expectRefused(await start({ programId: 'hello' }, headers), 400, 'invalid_request')
        const id = await talk.start('hello')
        const sent = await talk.call('POST', `/v1/executions/${id}/events`, { json: { name: 'e' }, headers })
        expectRefused(sent, 400, 'invalid_request')
      }
      expect((await start({ programId: 'hello' }, key('k, m'))).status).toBe(201)
    })

    it('starts one Execution when many come at the same moment', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => start({ programId: 'hello', input: 7 }, key('k'))),
      )
      expect(new Set(answers.map(({ json }) => json.id as string)).size).toBe(1)
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    })

    it('after a refusal counts as the first', async () => {
      expectRefused(await start({ programId: 'later' }, key('k')), 404, 'program_not_found')
      await talk.deploy('later')
      expect((await start({ programId: 'later' }, key('k'))).status).toBe(201)
    })

    it('is answered even if the Program would now refuse it', async () => {
      const body = { programId: 'hello', input: 'anything' }
      const first = await start(body, key('k'))
      await talk.deploy('hello', { manifest: { inputSchema: { type: 'number' } } })
      expectRefused(await start(body, key('other')), 400, 'invalid_input')
      const again = await start(body, key('k'))
      expect([again.status, again.json.id, again.json.versionNumber]).toEqual([200, first.json.id, 1])
    })

    it('belongs to its project', async () => {
      const there = await bench.talk.inProject()
      await there.deploy('hello')
      const here = await start({ programId: 'hello' }, key('k'))
      const other = await there.call('POST', '/v1/executions', { json: { programId: 'hello' }, headers: key('k') })
      expect([other.status, other.json.id === here.json.id]).toEqual([201, false])
    })

    it('needs a key of 1 to 255 characters', async () => {
      expect((await start({ programId: 'hello' }, key('x'.repeat(255)))).status).toBe(201)
      expectRefused(await start({ programId: 'hello' }, key('x'.repeat(256))), 400, 'invalid_request')
      expectRefused(await start({ programId: 'hello' }, key('')), 400, 'invalid_request')
    })

    it('counts the characters of a key in UTF-8, and tells apart keys that differ in their bytes', async () => {
      const utf8 = (text: string) => key(Buffer.from(text).toString('latin1'))
      const latin1 = (text: string) => key(text)
      const first = await start({ programId: 'hello' }, utf8('日'.repeat(254) + '😀'))
      const again = await start({ programId: 'hello' }, utf8('日'.repeat(254) + '😀'))
      expect([first.status, again.status, again.json.id]).toEqual([201, 200, first.json.id])
      expectRefused(await start({ programId: 'hello' }, utf8('日'.repeat(256))), 400, 'invalid_request')
      expect((await start({ programId: 'hello' }, latin1('é'.repeat(255)))).status).toBe(201)
      expect((await start({ programId: 'hello' }, utf8('é'.repeat(255)))).status).toBe(201)
      expectRefused(await start({ programId: 'hello' }, latin1('é'.repeat(256))), 400, 'invalid_request')
    })

    it('may have a key with an unpaired surrogate', async () => {
      const body = { programId: 'hello', input: '\ud800' }
      const first = await start(body, key('k'))
      const again = await start(body, key('k'))
      expect([first.json.input, again.status, again.json.id]).toEqual(['\ud800', 200, first.json.id])
    })

    it('waits for the first Execution when it is asked to', async () => {
      const body = { programId: 'hello', input: { do: 'sleep', ms: 300 } }
      const first = await start(body, key('k'))
      const again = await start(body, { ...key('k'), prefer: 'wait=20' })
      expect([again.status, again.json.id, again.json.status]).toEqual([200, first.json.id, 'completed'])
    })

    it('starts another one when the first was deleted', async () => {
      const first = await start({ programId: 'hello' }, key('k'))
      await talk.result(first.json.id as string)
      expect((await start({ programId: 'hello' }, key('k'))).status).toBe(200)
      await talk.call('DELETE', `/v1/executions/${first.json.id as string}`)
      const second = await start({ programId: 'hello' }, key('k'))
      expect([second.status, second.json.id === first.json.id]).toEqual([201, false])
    })
  })

  describe('an event with an Idempotency-Key', () => {
    const waiting = () => talk.start('hello', { do: 'wait', for: 'go' })
    const send = (id: string, event: unknown, name: string) =>
      talk.call('POST', `/v1/executions/${id}/events`, { json: event, headers: key(name) })
    const receivedBy = async (id: string) =>
      (await talk.history(id)).filter(({ type }) => type === 'event_received').length

    it('is stored once, and always gets the same answer, also after the Execution has ended', async () => {
      const id = await waiting()
      const first = await send(id, { name: 'other', payload: { a: 1, b: 2 } }, 'k')
      const again = await send(id, { payload: { b: 2, a: 1 }, name: 'other' }, 'k')
      expect([first.status, again.status, again.json]).toEqual([202, 202, first.json])
      await send(id, { name: 'go' }, 'k2')
      await talk.result(id)
      expect((await send(id, { name: 'other', payload: { a: 1, b: 2 } }, 'k')).json).toEqual(first.json)
      expectRefused(await send(id, { name: 'other' }, 'new'), 409, 'execution_finished')
      expect(await receivedBy(id)).toBe(2)
    })

    it('is 422 if it differs', async () => {
      const id = await waiting()
      await send(id, { name: 'other', payload: 1 }, 'k')
      for (const event of [{ name: 'other', payload: 2 }, { name: 'other' }, { name: 'another', payload: 1 }]) {
        expectRefused(await send(id, event, 'k'), 422, 'idempotency_conflict')
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
      expect((await start({ programId: 'hello' }, key('shared'))).status).toBe(201)
    })

    it('that was refused does not count', async () => {
      const id = await waiting()
      expectRefused(await send(id, { name: '' }, 'k'), 400, 'invalid_request')
      expect((await send(id, { name: 'other' }, 'k')).status).toBe(202)
      expectRefused(await send(id, { name: 'other' }, 'x'.repeat(256)), 400, 'invalid_request')
    })
  })
}
