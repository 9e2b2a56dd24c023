// U+0000, which databases and headers cannot hold: it is refused, or it is data, everywhere alike.

import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import { expectRefused, type Talk, until } from './talk.test-support.ts'

const NUL = 'a\u0000b'

export const nul: Part = (bench) => {
  let talk: Talk & { readonly projectId: string }
  beforeAll(async () => {
    talk = await bench.talk.inProject()
    await talk.deploy('hello')
  })

  describe('U+0000 in a path', () => {
    it.each([
      ['GET', '/v1/programs/a%00b', 404, 'program_not_found'],
      ['GET', '/v1/programs/a%00b/versions', 404, 'program_not_found'],
      ['GET', '/v1/programs/a%00b/versions/1/artifact', 404, 'program_not_found'],
      ['GET', '/v1/programs/hello/versions/%00/artifact', 404, 'version_not_found'],
      ['DELETE', '/v1/programs/a%00b/versions/1', 404, 'program_not_found'],
      ['DELETE', '/v1/programs/hello/versions/%00', 404, 'version_not_found'],
      ['GET', '/v1/executions/exe_%00', 404, 'execution_not_found'],
      ['GET', '/v1/executions/exe_%00/result', 404, 'execution_not_found'],
      ['GET', '/v1/executions/exe_%00/history', 404, 'execution_not_found'],
      ['POST', '/v1/executions/exe_%00/cancel', 404, 'execution_not_found'],
      ['POST', '/v1/executions/exe_%00/commands/1/fire', 404, 'execution_not_found'],
      ['DELETE', '/v1/executions/exe_%00', 404, 'execution_not_found'],
      ['GET', '/v1/bulk/blk_%00', 404, 'bulk_not_found'],
      ['POST', '/v1/bulk/blk_%00/stop', 404, 'bulk_not_found'],
    ] as const)('%s %s is %d %s', async (method, path, status, code) => {
      expectRefused(await talk.call(method, path), status, code)
    })
  })

  describe.skipIf(bench.features.home === 'local')('U+0000 in what only the hosted service serves', () => {
    it.each([
      ['PATCH', '/v1/workspaces/current', { name: NUL }, 400, 'invalid_request'],
      ['POST', '/v1/workspaces/current/tokens', { name: NUL, role: 'admin' }, 400, 'invalid_request'],
      ['DELETE', '/v1/workspaces/current/tokens/a%00b', undefined, 404, 'token_not_found'],
      ['GET', '/v1/projects/a%00b/environment', undefined, 404, 'project_not_found'],
      ['PUT', '/v1/projects/a%00b/environment', { A: 'b' }, 404, 'project_not_found'],
      ['GET', '/v1/projects/a%00b/triggers', undefined, 404, 'project_not_found'],
      ['PUT', '/v1/projects/a%00b/triggers', { triggers: [] }, 404, 'project_not_found'],
      ['POST', '/v1/projects/a%00b/triggers/trg_1/fire', {}, 404, 'project_not_found'],
      ['POST', '/v1/projects/default/triggers/a%00b/fire', {}, 404, 'trigger_not_found'],
      ['GET', '/v1/programs/a%00b/triggers', undefined, 404, 'program_not_found'],
    ] as const)('%s %s with %j is %d %s', async (method, path, json, status, code) => {
      expectRefused(await bench.talk.call(method, path, json === undefined ? {} : { json }), status, code)
    })

    it('as the name of a variable to remove is no error', async () => {
      const answer = await talk.call('PUT', `/v1/projects/${talk.projectId}/environment`, { json: { remove: [NUL] } })
      expect(answer.status).toBe(200)
    })
  })

  describe('U+0000 in a query', () => {
    it.each([
      'programId=a%00b',
      'status=a%00b',
      'version=1%00',
      'createdAfter=2026-01-01%00',
      'cursor=a%00b',
      'limit=1%00',
    ])('%s is 400', async (query) => {
      expectRefused(await talk.call('GET', `/v1/executions?${query}`), 400, 'invalid_request')
    })

    it.each([
      'q=a%00b',
      'notQ=a%00b',
      'label=a%00b',
      'waitingName=a%00b',
      'errorFingerprint=a%00b',
      'triggerId=a%00b',
      'a%00b=1',
    ])('%s is accepted', async (query) => {
      for (const path of ['/v1/executions', '/v1/executions/counts']) {
        expect((await talk.call('GET', `${path}?${query}`)).status).toBe(200)
      }
    })

    it('finds the errors that have it, and not those that have a space in its place', async () => {
      const ids: string[] = []
      for (const message of [NUL, 'a b']) ids.push(await talk.start('hello', { do: 'fail', message }))
      for (const id of ids) await talk.result(id)
      const found = async (query: string) =>
        ((await talk.get(`/v1/executions?${query}`)).items as { readonly id: string }[]).map(({ id }) => id)
      expect(await found('q=a%00b')).toEqual([ids[0]])
      expect(await found('q=a%20b')).toEqual([ids[1]])
      expect(await found('status=failed&notQ=%00')).toEqual([ids[1]])
    })
  })

  describe('U+0000 in a body', () => {
    it.each([
      ['the name of a project', '/v1/projects', { name: NUL }, 400, 'invalid_request'],
      ['the id of a Program', '/v1/executions', { programId: NUL }, 404, 'program_not_found'],
      [
        'the id of a Program to deploy',
        '/v1/programs/deploy',
        { format: 'wes.program/1', id: NUL, program: { code: '({ run() {} })' } },
        400,
        'invalid_request',
      ],
      [
        'the id of an Execution to run again',
        '/v1/executions',
        { programId: 'hello', againOf: `exe_${NUL}` },
        404,
        'execution_not_found',
      ],
      ['the filter of a bulk', '/v1/bulk', { action: 'delete', filter: { programId: NUL } }, 400, 'invalid_request'],
    ] as const)('as %s is refused', async (_what, path, json, status, code) => {
      expectRefused(await talk.call('POST', path, { json }), status, code)
    })

    it('as the id of an Execution in a bulk matches none', async () => {
      const answer = await talk.call('POST', '/v1/bulk', { json: { action: 'delete', ids: [`exe_${NUL}`] } })
      expect(answer.status).toBe(202)
      const path = `/v1/bulk/${answer.json.id as string}`
      const done = await until(async () => {
        const bulk = await talk.get(path)
        return bulk.status === 'done' ? (bulk as { readonly done: number }) : undefined
      })
      expect(done.done).toBe(0)
    })

    it('as the name of an event is refused, and no Program may wait for it', async () => {
      const id = await talk.start('hello', { do: 'wait', for: 'go' })
      expectRefused(await talk.send(id, NUL, 1), 400, 'invalid_request')
      expect(await talk.result(await talk.start('hello', { do: 'wait', for: NUL }))).toMatchObject({
        status: 'failed',
        error: { name: 'TypeError', message: 'ctx.waitForEvent needs a name without U+0000' },
      })
    })

    it.each(['events', 'effects'])('as a name among the %s of a manifest is refused', async (kind) => {
      expectRefused(await talk.deploy('declares', { manifest: { [kind]: [{ name: NUL }] } }), 400, 'invalid_request')
    })

    it('in a payload is data', async () => {
      const id = await talk.start('hello', { do: 'wait', for: 'go' })
      expect((await talk.send(id, 'go', NUL)).status).toBe(202)
      expect(await talk.result(id)).toEqual({ status: 'completed', result: NUL })
    })
  })

  describe('U+0000 in a header', () => {
    it.each(['X-Service-Project-Id', 'Idempotency-Key', 'Prefer', 'Last-Event-ID'])('%s is 400', async (name) => {
      const { url, headers } = bench.service()
      const { hostname, port, host, pathname } = new URL(url)
      const socket = connect(Number(port), hostname)
      const own = Object.entries(headers).map(([one, value]) => `${one}: ${value}\r\n`)
      const body = '{"programId":"hello"}'
      socket.write(
        `POST ${pathname.replace(/\/$/, '')}/v1/executions HTTP/1.1\r\nHost: ${host}\r\n${own.join('')}${name}: ${NUL}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
      const answer = await text(socket)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      const answered: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
      expect(answered).toMatchObject({ error: { code: 'invalid_request' } })
    })
  })
}
