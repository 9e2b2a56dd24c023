// Contract section 2: reading Executions and their results, at once and held.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import type { Talk } from './talk.test-support.ts'

export const results: Part = (bench) => {
  let talk: Talk
  beforeAll(async () => {
    talk = await bench.talk.inProject()
    await talk.deploy('hello')
  })
  const waiting = () => talk.start('hello', { do: 'wait', for: 'go' })
  const held = (id: string, prefer: string) => talk.call('GET', `/v1/executions/${id}/result`, { headers: { prefer } })

  describe('reading the result', () => {
    it('answers at once in any status', async () => {
      const answer = await talk.call('GET', `/v1/executions/${await waiting()}/result`)
      expect(['queued', 'running', 'waiting']).toContain(answer.json.status)
      expect(Object.keys(answer.json as object)).toEqual(['status'])
      expect(answer.headers['preference-applied']).toBeUndefined()
    })

    it('is held until the Execution ends, and then answered at once', async () => {
      const id = await waiting()
      await talk.waitsFor(id, 'go')
      const answers = Promise.all(Array.from({ length: 3 }, () => held(id, 'wait=60')))
      const before = performance.now()
      await talk.send(id, 'go', 'done')
      for (const answer of await answers) {
        expect(answer.json).toEqual({ status: 'completed', result: 'done' })
        expect(answer.headers['preference-applied']).toBe('wait=60')
      }
      // They could have been held for a minute.
      expect(performance.now() - before).toBeLessThan(50_000)
    })

    it('is not held longer than requested', async () => {
      const id = await waiting()
      await talk.waitsFor(id, 'go')
      const before = performance.now()
      const answer = await held(id, 'wait=1')
      expect(performance.now() - before).toBeGreaterThan(950)
      expect([answer.status, answer.json.status, answer.headers['preference-applied']]).toEqual([
        200,
        'waiting',
        'wait=1',
      ])
    })

    it('is held for at most a minute, which the answer states', async () => {
      const id = await talk.start('hello', { do: 'return' })
      expect((await held(id, 'wait=3600')).headers['preference-applied']).toBe('wait=60')
    })

    it('is not held for an invalid preference', async () => {
      const id = await waiting()
      for (const prefer of ['wait=soon', 'wait=-1', 'respond-async', 'wait']) {
        const answer = await held(id, prefer)
        expect([answer.status, answer.headers['preference-applied']]).toEqual([200, undefined])
      }
      expect((await held(id, 'wait=0')).headers['preference-applied']).toBe('wait=0')
    })

    it('holds nothing for a caller that disconnected', async () => {
      const id = await waiting()
      const controllers = Array.from({ length: 5 }, () => new AbortController())
      const { url, headers } = bench.service()
      const gone = controllers.map(({ signal }) =>
        fetch(`${url}/v1/executions/${id}/result`, { headers: { ...headers, prefer: 'wait=60' }, signal }).catch(
          () => 'gone',
        ),
      )
      await talk.get('/healthz')
      for (const controller of controllers) controller.abort()
      expect(await Promise.all(gone)).toEqual(Array(5).fill('gone'))
      await talk.send(id, 'go')
      expect((await talk.result(id)).status).toBe('completed')
    })

    it('shows the error of a failed Execution', async () => {
      const id = await talk.start('hello', { do: 'fail', message: 'boom' })
      expect(await talk.result(id)).toMatchObject({
        status: 'failed',
        error: { code: 'program_error', name: 'Error', message: 'boom' },
      })
    })
  })

  describe('reading an Execution', () => {
    it('shows what it waits for', async () => {
      const waits = await talk.start('hello', { do: 'wait', for: 'go', timeoutMs: 60_000 })
      const sleeps = await talk.start('hello', { do: 'sleep', ms: 60_000 })
      const time = expect.stringMatching(/Z$/) as string
      expect(await talk.waitsFor(waits, 'go')).toMatchObject({
        status: 'waiting',
        startedAt: time,
        waitingFor: [{ kind: 'event', name: 'go', since: time, timeoutAt: time }],
      })
      expect((await talk.waitsFor(sleeps, 'timer')).waitingFor).toEqual([{ kind: 'timer', wakeAt: time }])
    })

    it('shows its result, or its error', async () => {
      const good = await talk.start('hello', { do: 'return', value: { a: [null] } })
      const bad = await talk.start('hello', { do: 'fail', message: 'no "luck"' })
      await talk.result(good)
      await talk.result(bad)
      const completed = await talk.execution(good)
      expect(completed).toMatchObject({ status: 'completed', result: { a: [null] }, waitingFor: [] })
      expect(Object.keys(completed)).not.toContain('error')
      expect(Date.parse(completed.finishedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(completed.createdAt))
      const failed = await talk.execution(bad)
      expect(failed).toMatchObject({
        status: 'failed',
        error: { code: 'program_error', name: 'Error', message: 'no "luck"' },
        waitingFor: [],
      })
      expect(Object.keys(failed)).not.toContain('result')
    })
  })
}
