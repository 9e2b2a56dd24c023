// Contract section 9: deleting Executions.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import { expectRefused, type Talk } from './talk.test-support.ts'

export const deleting: Part = (bench) => {
  describe('deleting an Execution', () => {
    let talk: Talk
    beforeAll(async () => {
      talk = await bench.talk.inProject()
      await talk.deploy('hello')
    })
    const ended = async () => {
      const id = await talk.start('hello', { do: 'return' })
      await talk.result(id)
      return id
    }

    it('is 204 without a body, and the Execution no longer exists', async () => {
      const id = await ended()
      const path = `/v1/executions/${id}`
      const { status, text, headers } = await talk.call('DELETE', path)
      expect([status, text, headers['content-type'], headers['cache-control']]).toEqual([
        204,
        '',
        undefined,
        'no-store',
      ])
      for (const rest of ['', '/result', '/history']) {
        expectRefused(await talk.call('GET', `${path}${rest}`), 404, 'execution_not_found')
      }
      expectRefused(await talk.call('DELETE', path), 404, 'execution_not_found')
      expectRefused(await talk.cancel(id), 404, 'execution_not_found')
      expect((await talk.get(`/v1/executions?q=${id}`)).items).toEqual([])
    })

    it('is 409 before it has ended', async () => {
      const id = await talk.start('hello', { do: 'wait', for: 'go' })
      expectRefused(await talk.call('DELETE', `/v1/executions/${id}`), 409, 'execution_not_finished')
      await talk.send(id, 'go')
      await talk.result(id)
      expect((await talk.call('DELETE', `/v1/executions/${id}`)).status).toBe(204)
    })

    it('is 404 in another project, and for an invalid id', async () => {
      const id = await ended()
      const elsewhere = await bench.talk.inProject()
      expectRefused(await elsewhere.call('DELETE', `/v1/executions/${id}`), 404, 'execution_not_found')
      expectRefused(await talk.call('DELETE', '/v1/executions/nonsense'), 404, 'execution_not_found')
      expect((await bench.talk.call('DELETE', `/v1/executions/${id}`)).status).toBe(204)
    })

    it('removes a long history as well', async () => {
      const id = await talk.start('hello', { do: 'wait', for: 'go' })
      for (let sent = 0; sent < 5; sent += 1) await talk.send(id, 'other', 'x'.repeat(900_000))
      await Promise.all(Array.from({ length: 300 }, () => talk.send(id, 'other')))
      await talk.cancel(id)
      await talk.result(id)
      expect((await talk.call('DELETE', `/v1/executions/${id}`)).status).toBe(204)
      expectRefused(await talk.call('GET', `/v1/executions/${id}/history`), 404, 'execution_not_found')
    })
  })
}
