// Contract sections 2 and 10: the stream of changes.

import { beforeEach, describe, expect, it } from 'vitest'
import { followStream, type Followed } from './event-stream.test-support.ts'
import type { Part } from './part.test-support.ts'
import type { Talk } from './talk.test-support.ts'

type Change = Readonly<Record<'executionId' | 'programId' | 'projectId' | 'status' | 'at', string>>

const nextChange = async (stream: Followed): Promise<Change> =>
  JSON.parse((await stream.next())?.data ?? 'null') as Change

/** The reported statuses of one Execution, until it ends. */
const statusesOf = async (stream: Followed, id: string): Promise<readonly string[]> => {
  const statuses: string[] = []
  for (;;) {
    const change = await nextChange(stream)
    if (change.executionId !== id) continue
    statuses.push(change.status)
    expect(Object.keys(change).toSorted()).toEqual(['at', 'executionId', 'programId', 'projectId', 'status'])
    if (['completed', 'failed', 'cancelled'].includes(change.status)) return statuses
  }
}

export const changes: Part = (bench) => {
  let talk: Talk & { readonly projectId: string }
  beforeEach(async () => {
    talk = await bench.talk.inProject()
    await talk.deploy('hello')
  })
  const follow = (headers: Readonly<Record<string, string>> = {}) => {
    const { url, headers: own } = bench.service()
    return followStream(`${url}/v1/changes`, { ...own, ...headers })
  }

  describe('the stream of changes', () => {
    it('reports every Execution, after the commit', async () => {
      const stream = await follow()
      expect(stream.answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
      expect(stream.answer.headers.get('cache-control')).toBe('no-store')
      await stream.lastId()
      const id = await talk.start('hello', { do: 'wait', for: 'go' })
      await talk.waitsFor(id, 'go')
      await talk.send(id, 'go')
      const statuses = await statusesOf(stream, id)
      expect(statuses.at(-1)).toBe('completed')
      expect(statuses).toContain('waiting')
      stream.leave()
    })

    it('sends an id to resume from before the first change, so that nothing is missed', async () => {
      const stream = await follow()
      const from = await stream.lastId()
      stream.leave()
      const id = await talk.start('hello', { do: 'return' })
      await talk.result(id)
      const resumed = await follow({ 'last-event-id': from })
      expect(await statusesOf(resumed, id)).toContain('completed')
      resumed.leave()
    })

    it('resumes after the last seen event', async () => {
      const stream = await follow(talk.headers)
      await stream.lastId()
      const first = await talk.start('hello', { do: 'return' })
      await statusesOf(stream, first)
      const from = await stream.lastId()
      stream.leave()
      const second = await talk.start('hello', { do: 'return' })
      const resumed = await follow({ ...talk.headers, 'last-event-id': from })
      expect((await nextChange(resumed)).executionId).toBe(second)
      resumed.leave()
    })

    it.each(['other:1', 'nonsense', ':', '1'])(
      'says reset when it cannot resume behind %j, and goes on from now',
      async (lastEventId) => {
        const stream = await follow({ 'last-event-id': lastEventId })
        expect(await stream.next()).toMatchObject({ event: 'reset', data: '{}' })
        const id = await talk.start('hello', { do: 'return' })
        expect(await statusesOf(stream, id)).toContain('completed')
        stream.leave()
      },
    )

    it('reports only the selected project', async () => {
      const elsewhere = await bench.talk.inProject()
      await elsewhere.deploy('hello')
      const stream = await follow(talk.headers)
      await stream.lastId()
      await elsewhere.result(await elsewhere.start('hello', { do: 'return' }))
      const id = await talk.start('hello', { do: 'return' })
      expect(await nextChange(stream)).toMatchObject({ executionId: id, projectId: talk.projectId })
      stream.leave()
    })

    it('reports Programs: a version was stored, or removed', async () => {
      const stream = await follow(talk.headers)
      await stream.lastId()
      const told = async (versionNumber: number) => {
        const { event, data } = (await stream.next())!
        expect([event, JSON.parse(data!)]).toEqual([
          'program',
          { programId: 'told', projectId: talk.projectId, versionNumber, at: expect.stringMatching(/Z$/) as string },
        ])
      }
      await talk.deploy('told')
      await told(1)
      await talk.deploy('told')
      await talk.deploy('told', { description: 'another' })
      await told(2)
      expect((await talk.call('DELETE', '/v1/programs/told/versions/1')).status).toBe(204)
      await told(2)
      stream.leave()
    })

    it('reports a deleted Execution', async () => {
      const id = await talk.start('hello', { do: 'return' })
      await talk.result(id)
      const stream = await follow(talk.headers)
      await stream.lastId()
      await talk.call('DELETE', `/v1/executions/${id}`)
      const { event, data } = (await stream.next())!
      expect([event, JSON.parse(data!)]).toEqual([
        'deleted',
        {
          executionId: id,
          programId: 'hello',
          projectId: talk.projectId,
          status: 'completed',
          at: expect.stringMatching(/Z$/) as string,
        },
      ])
      stream.leave()
    })

    it('sends every change to every reader', async () => {
      const streams = await Promise.all(Array.from({ length: 40 }, () => follow(talk.headers)))
      await Promise.all(streams.map((stream) => stream.lastId()))
      const ids = await Promise.all([1, 2, 3].map(() => talk.start('hello', { do: 'return' })))
      for (const stream of streams) {
        const ended = new Set<string>()
        while (ended.size < ids.length) {
          const { executionId, status } = await nextChange(stream)
          if (status === 'completed') ended.add(executionId)
        }
        expect([...ended].toSorted()).toEqual(ids.toSorted())
        stream.leave()
      }
    })
  })
}
