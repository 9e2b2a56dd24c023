// Contract section 2: paths, methods and queries.

import { describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import { expectRefused } from './talk.test-support.ts'

export const queries: Part = ({ talk, features }) => {
  describe('a query', () => {
    it.each([
      'limit=0',
      'limit=201',
      'limit=-1',
      'limit=1.5',
      'limit=abc',
      'limit=',
      'limit=1e2',
      'limit=0x10',
      'limit=%201',
      'limit=1&limit=2',
      'limit=99999999999999999999',
      'cursor=',
      'cursor=abc',
      'cursor=%00',
      'cursor=a&cursor=b',
      'status=done',
      'status=',
      'status=Completed',
      'status=completed&status=nope',
      'version=0',
      'version=x',
      'version=1&version=2',
      'programId=%20',
      'programId=',
      'createdAfter=yesterday',
      'createdAfter=',
      'createdAfter=2026-02-30T00:00:00Z',
      'createdBefore=1700000000000',
      `q=${'x'.repeat(501)}`,
      'q=a&q=b',
    ])('%s is 400', async (query) => {
      expectRefused(await talk.call('GET', `/v1/executions?${query}`), 400, 'invalid_request')
    })

    it.each([
      ['limit=-1', 'query/limit must be >= 1'],
      ['limit=1e2', 'query/limit must be integer'],
      ['limit=1&limit=1', 'query/limit must come once'],
      ['q=a&q=b', 'query/q must come once'],
    ])('%s is refused with what is wrong', async (query, message) => {
      expect((await talk.call('GET', `/v1/executions?${query}`)).json.error.message).toBe(message)
    })

    it.each([
      '',
      'limit=1',
      'limit=200',
      'limit=007',
      'status=completed&status=failed',
      'status=completed&status=completed',
      'version=1',
      'version=9007199254740993',
      'programId=nobody',
      'createdAfter=2026-01-01',
      'createdAfter=2026-01-01T00:00:00.000Z&createdBefore=2026-01-01T01:00:00%2B01:00',
      'q=',
      'q=%25_%27',
      'q=%00',
      'unknown=1&__proto__=2&constructor=3',
      'status[]=nope',
    ])('%s is accepted', async (query) => {
      expect((await talk.call('GET', `/v1/executions?${query}`)).status).toBe(200)
    })
  })

  describe('a path', () => {
    it.each(['/v1/nothing', '/v1', '/v1/executions/x/nothing', '/v2/projects'])(
      '%s that leads nowhere is 404',
      async (path) => {
        for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
          expectRefused(await talk.call(method, path), 404, 'not_found')
        }
      },
    )

    it.each([
      ['/v1/programs', 'GET, HEAD'],
      ['/v1/executions', 'GET, HEAD, POST'],
      ['/v1/executions/exe_1/cancel', 'POST'],
      ['/v1/bulk', 'POST'],
      ['/v1/changes', 'GET, HEAD'],
    ])('%s allows %s, and says so to who tries another method', async (path, allow) => {
      for (const method of ['PUT', 'PATCH', 'OPTIONS']) {
        const answer = await talk.call(method, path)
        expectRefused(answer, 405, 'method_not_allowed')
        expect(answer.headers['allow']).toBe(allow)
      }
    })

    it('of another home answers which home serves it', async () => {
      const [code, paths] =
        features.home === 'local'
          ? ['hosted_only', ['/v1/whoami', '/v1/usage', '/v1/billing/plan', '/v1/workspaces/current']]
          : ['local_only', ['/v1/source', '/v1/runtime']]
      for (const path of paths) expectRefused(await talk.call('GET', path), 404, code)
    })

    it('finds nothing for invalid ids', async () => {
      for (const id of ['%00', 'a%2Fb', '%0d%0aX:1', 'exe_', '__proto__', 'x'.repeat(9_000)]) {
        const answer = await talk.call('GET', `/v1/executions/${id}`)
        expectRefused(answer, 404, 'execution_not_found')
        expect(answer.text.length).toBeLessThan(300)
      }
      for (const id of ['%zz', '%C3%28']) {
        expectRefused(await talk.call('GET', `/v1/executions/${id}`), 400, 'invalid_request')
      }
    })

    it('is read with HEAD as with GET', async () => {
      const [head, get] = [await talk.call('HEAD', '/v1/projects'), await talk.call('GET', '/v1/projects')]
      expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', get.headers['content-length']])
    })
  })

  describe('the description of the service', () => {
    it('is its name, its home and its features, and is public', async () => {
      expect(await talk.get('/healthz')).toMatchObject({
        service: 'workflow-execution-service',
        mode: features.home,
        version: expect.any(String) as string,
        startedAt: expect.stringMatching(/Z$/) as string,
        features: expect.arrayContaining(['label', 'start-wait', 'event-keys']) as string[],
      })
    })

    it('is its API, as OpenAPI', async () => {
      const { openapi, paths } = await talk.get('/openapi.json')
      expect([openapi, Object.keys(paths as object)]).toEqual([
        '3.1.0',
        expect.arrayContaining(['/v1/executions', '/v1/changes', '/healthz']),
      ])
      expect('/v1/source' in paths).toBe(features.home === 'local')
    })
  })
}
