// Contract sections 2 and 10: starting Executions, and reading them.

import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import type { Called } from './send-request.test-support.ts'
import { expectRefused, type Talk } from './talk.test-support.ts'

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string

export const starts: Part = (bench) => {
  let talk: Talk & { readonly projectId: string }
  beforeAll(async () => {
    talk = await bench.talk.inProject()
    await talk.deploy('hello')
  })
  const start = (json: unknown, headers: Record<string, string> = {}): Promise<Called> =>
    talk.call('POST', '/v1/executions', { json, headers })

  describe('starting an Execution', () => {
    it('answers 201 with the Execution and its path', async () => {
      const answer = await start({ programId: 'hello', input: { do: 'wait', for: 'go' } })
      expect(answer.status).toBe(201)
      expect(answer.headers['location']).toBe(`/v1/executions/${answer.json.id as string}`)
      expect(answer.json).toMatchObject({
        id: expect.stringMatching(/^exe_[0-9a-z]{26}$/) as string,
        projectId: talk.projectId,
        programId: 'hello',
        versionId: expect.stringMatching(/^ver_[0-9a-z]{26}$/) as string,
        versionNumber: 1,
        // A home may run the first turn within the start.
        status: expect.stringMatching(/^(queued|running|waiting)$/) as string,
        createdAt: TIME,
        inputPreview: '{"do":"wait","for":"go"}',
        input: { do: 'wait', for: 'go' },
      })
      for (const absent of ['error', 'result', 'finishedAt', 'cancelRequestedAt', 'label', 'againOf']) {
        expect(Object.keys(answer.json as object)).not.toContain(absent)
      }
    })

    it('gives ids that sort by creation', async () => {
      const ids: string[] = []
      for (let count = 0; count < 20; count += 1) ids.push(await talk.start('hello'))
      expect(ids).toEqual(ids.toSorted())
    })

    it('stores the Execution that it runs again, and refuses an unknown one', async () => {
      const first = await talk.start('hello', { do: 'return', value: 1 })
      const again = await start({ programId: 'hello', againOf: first })
      expect([again.status, again.json.againOf]).toEqual([201, first])
      const { items } = await talk.get(`/v1/executions?q=${again.json.id as string}`)
      expect(items[0]).toMatchObject({ id: again.json.id as string, againOf: first })
      const runsOf = async (...ids: readonly string[]) => {
        const query = ids.map((id) => `againOf=${id}`).join('&')
        const { counts } = await talk.get(`/v1/executions/counts?${query}`)
        const listed = (await talk.get(`/v1/executions?${query}`)).items.map(({ id }: { id: string }) => id) as string[]
        expect(Object.values(counts as Record<string, number>).reduce((sum, count) => sum + count)).toBe(listed.length)
        return listed
      }
      expect(await runsOf(first)).toEqual([again.json.id])
      const third = await start({ programId: 'hello', againOf: again.json.id })
      expect(await runsOf(first, again.json.id as string)).toEqual([third.json.id, again.json.id])
      expect(await runsOf(third.json.id as string)).toEqual([])
      expectRefused(await talk.call('GET', `/v1/executions?${'againOf=x&'.repeat(101)}`), 400, 'invalid_request')
      for (const againOf of ['exe_00000000000000000000000000', '', 'nonsense']) {
        expectRefused(await start({ programId: 'hello', againOf }), 404, 'execution_not_found')
      }
      expectRefused(await start({ programId: 'hello', againOf: 7 }), 400, 'invalid_request')
    })

    it('shows the beginning of its input in lists', async () => {
      for (const value of ['x'.repeat(3_000), '😀'.repeat(3_000)]) {
        const { json } = await start({ programId: 'hello', input: { do: 'return', value } })
        const { items } = await talk.get(`/v1/executions?q=${json.id as string}`)
        const preview = JSON.stringify(json.input).slice(0, 200)
        expect(items[0].inputPreview).toBe(preview.isWellFormed() ? preview : preview.slice(0, -1))
        expect(items[0].inputPreview).toBe(json.inputPreview)
        expect('input' in items[0]).toBe(false)
      }
    })

    it.each([[null], [false], [0], ['text'], [[]], [{}], [{ a: { b: [1, 2.5, 'é😀\u2028'] } }]])(
      'takes %j as input, and gives it back',
      async (input) => {
        const { json } = await start({ programId: 'hello', input })
        expect([json.input, (await talk.execution(json.id as string)).input]).toEqual([input, input])
      },
    )

    it('leaves out a missing input', async () => {
      const { json } = await start({ programId: 'hello' })
      expect('input' in json || 'inputPreview' in json).toBe(false)
      expect('input' in (await talk.execution(json.id as string))).toBe(false)
    })

    it.each(['nobody', 'no spaces please', '../x', '__proto__', 'x'.repeat(1_000), 'nul\u0000'])(
      'of the unknown Program "%s" is 404',
      async (programId) => {
        expectRefused(await start({ programId }), 404, 'program_not_found')
        expectRefused(await start({ programId, version: 1 }), 404, 'program_not_found')
      },
    )
  })

  describe('a version', () => {
    let apart: Talk
    beforeEach(async () => {
      apart = await bench.talk.inProject()
    })

    it('is the newest at the start, or the requested one, and does not change', async () => {
      const versionOf = async (version?: number) =>
        (await apart.call('POST', '/v1/executions', { json: { programId: 'pinned', version } })).json.versionNumber
      await apart.deploy('pinned')
      const first = await apart.start('pinned', { do: 'wait', for: 'go' })
      await apart.waitsFor(first, 'go')
      await apart.deploy('pinned', { program: { code: '({ run: async () => "two" })' } })
      expect([await versionOf(), await versionOf(1)]).toEqual([2, 1])
      await apart.send(first, 'go', 'one')
      expect((await apart.result(first)).result).toBe('one')
      const missing = await apart.call('POST', '/v1/executions', { json: { programId: 'pinned', version: 3 } })
      expectRefused(missing, 404, 'version_not_found')
    })
  })

  describe('an input against the schema of the Program', () => {
    beforeAll(async () => {
      await talk.deploy('typed', {
        manifest: {
          inputSchema: {
            type: 'object',
            properties: { orderId: { type: 'string' }, cents: { type: 'integer', minimum: 1 } },
            required: ['orderId', 'cents'],
          },
        },
      })
    })

    it.each([
      [{ orderId: 'a' }, 'input'],
      [{ orderId: 1, cents: 1 }, 'input/orderId must be string'],
      [{ orderId: 'a', cents: 1.5 }, 'input/cents must be integer'],
      [{ orderId: 'a', cents: 0 }, 'input/cents'],
      ['text', 'input must be object'],
      [null, 'input must be object'],
      [undefined, 'input must be object'],
    ])('is refused when it is %j, and the message says where', async (input, message) => {
      const answer = await start({ programId: 'typed', input })
      expectRefused(answer, 400, 'invalid_input')
      expect(answer.json.error.message).toContain(message)
    })

    it('is accepted if it matches', async () => {
      expect((await start({ programId: 'typed', input: { orderId: 'a', cents: 1, more: true } })).status).toBe(201)
    })
  })

  describe('a start that waits', () => {
    const prefer = { prefer: 'wait=20' }

    it('answers 201 with the result if the Execution is quick', async () => {
      const answer = await start({ programId: 'hello', input: { do: 'return', value: 7 } }, prefer)
      expect([answer.status, answer.headers['preference-applied']]).toEqual([201, 'wait=20'])
      expect(answer.headers['location']).toBe(`/v1/executions/${answer.json.id as string}`)
      expect(answer.json).toMatchObject({ status: 'completed', result: 7, input: { do: 'return', value: 7 } })
      expect([answer.json.startedAt, answer.json.finishedAt]).toEqual([TIME, TIME])
    })

    it('answers after the time with the current Execution', async () => {
      const before = performance.now()
      const answer = await start({ programId: 'hello', input: { do: 'wait', for: 'go' } }, { prefer: 'wait=1' })
      expect(performance.now() - before).toBeGreaterThan(950)
      expect(answer.json).toMatchObject({ status: 'waiting', waitingFor: [{ kind: 'event', name: 'go' }] })
      const now = await start({ programId: 'hello', input: { do: 'wait', for: 'go' } }, { prefer: 'wait=0' })
      expect([now.status, now.headers['preference-applied']]).toEqual([201, 'wait=0'])
    })

    it('does not wait if it is refused, or if the preference is invalid', async () => {
      expectRefused(await start({ programId: 'nobody' }, prefer), 404, 'program_not_found')
      const answer = await start({ programId: 'hello', input: { do: 'wait', for: 'go' } }, { prefer: 'wait=soon' })
      expect([answer.status, answer.headers['preference-applied']]).toEqual([201, undefined])
    })
  })

  describe('a label', () => {
    const labelled = (label: string) => ({
      program: { code: `({ run: async (ctx) => ctx.waitForEvent('go'), label: (input) => ${label} })` },
    })

    it('comes from the Program and its input, with the first turn', async () => {
      await talk.deploy('labelled', labelled('"Order " + input.id'))
      const id = await talk.start('labelled', { id: 7 })
      await talk.waitsFor(id, 'go')
      expect((await talk.execution(id)).label).toBe('Order 7')
      expect((await talk.get(`/v1/executions?q=${id}`)).items[0].label).toBe('Order 7')
    })

    it('has 200 characters at most, and none when making it throws', async () => {
      await talk.deploy('long-label', labelled('"x".repeat(300)'))
      await talk.deploy('no-label', labelled('input.nothing.there'))
      const [long, none] = [await talk.start('long-label'), await talk.start('no-label')]
      await talk.waitsFor(long, 'go')
      await talk.waitsFor(none, 'go')
      expect((await talk.execution(long)).label).toHaveLength(200)
      expect('label' in (await talk.execution(none))).toBe(false)
    })

    it('finds its Execution by any part of it, in lists, counts and bulks', async () => {
      await talk.deploy('named', labelled('input.name'))
      const names = ['Order 8841, ANNA', 'order 17, 王芳', 'a\0b', '100%_']
      const ids = await Promise.all(names.map((name) => talk.start('named', { name })))
      for (const id of ids) await talk.waitsFor(id, 'go')
      const found = async (label: string) => {
        const query = `programId=named&label=${encodeURIComponent(label)}`
        const { counts } = await talk.get(`/v1/executions/counts?${query}`)
        const { items } = await talk.get(`/v1/executions?${query}`)
        expect(counts.waiting).toBe(items.length)
        return (items as { readonly id: string }[]).map(({ id }) => ids.indexOf(id)).toSorted()
      }
      expect(await found('8841, anna')).toEqual([0])
      expect(await found('ORDER')).toEqual([0, 1])
      expect(await found('王')).toEqual([1])
      expect(await found('a\0')).toEqual([2])
      expect(await found('%_')).toEqual([3])
      expect(await found('order_')).toEqual([])
      expect(await found('x'.repeat(200))).toEqual([])
      expect(await found('')).toEqual([0, 1, 2, 3])
      for (const path of ['/v1/executions', '/v1/executions/counts']) {
        expectRefused(await talk.call('GET', `${path}?label=${'x'.repeat(201)}`), 400, 'invalid_request')
      }
      const elsewhere = await bench.talk.inProject()
      expect((await elsewhere.get('/v1/executions?label=order')).items).toEqual([])
      const bulk = { action: 'cancel', filter: { label: 'order' } }
      expect((await talk.call('POST', '/v1/bulk', { json: bulk })).json).toMatchObject({ matched: 3 })
    })
  })
}
