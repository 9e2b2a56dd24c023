// Contract section 2: what a body may be.

import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import { codeOf, expectRefused, type Talk } from './talk.test-support.ts'

const MIB = 1024 * 1024
const JSON_TYPE = { 'content-type': 'application/json' }

export const bodies: Part = (bench) => {
  let talk: Talk
  beforeAll(async () => {
    talk = await bench.talk.inProject()
    await talk.deploy('hello')
  })
  const post = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE, path = '/v1/executions') =>
    talk.call('POST', path, { body, headers })

  /** As many HTTP libraries do it, and without keeping the connection. */
  const sendAllThenRead = async (path: string, type: string, body: string): Promise<string> => {
    const { url, headers } = bench.service()
    const { hostname, host, port } = new URL(url)
    const own = Object.entries({ ...headers, 'content-type': type, 'content-length': String(body.length) })
    const socket = connect(Number(port), hostname)
    try {
      const head = [
        `POST ${path} HTTP/1.1`,
        `host: ${host}`,
        'connection: close',
        ...own.map((pair) => pair.join(': ')),
      ]
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject)
        socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, (error) => (error ? reject(error) : resolve()))
      })
      return await text(socket)
    } finally {
      socket.destroy()
    }
  }

  describe('the type of a body', () => {
    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      'application/vnd.api+json',
      'text/json',
      'nonsense',
      'application/json; charset=latin1',
      'application/json; charset="utf-16"',
    ])('%s is 415', async (type) => {
      expectRefused(await post('{"programId":"hello"}', { 'content-type': type }), 415, 'unsupported_media_type')
    })

    it('is 415 if it is missing', async () => {
      expectRefused(await post('{"programId":"hello"}', {}), 415, 'unsupported_media_type')
    })

    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'application/json; charset=utf8',
      'Application/JSON',
      'application/json; x=y',
    ])('%s is accepted', async (type) => {
      expect((await post('{"programId":"hello"}', { 'content-type': type })).status).toBe(201)
    })
  })

  describe('a content encoding', () => {
    it('is refused', async () => {
      const body = '{"programId":"hello"}'
      const answer = await post(gzipSync(body), { ...JSON_TYPE, 'content-encoding': 'gzip' })
      expectRefused(answer, 415, 'unsupported_media_type')
      expect((await post(body, { ...JSON_TYPE, 'content-encoding': 'identity' })).status).toBe(201)
    })
  })

  describe('a missing body', () => {
    it.each(['/v1/executions', '/v1/projects', '/v1/programs/deploy', '/v1/executions/exe_1/events'])(
      'is 400 for %s, whatever the type says',
      async (path) => {
        for (const headers of [{}, JSON_TYPE, { 'content-type': 'text/plain' }]) {
          expectRefused(await talk.call('POST', path, { headers }), 400, 'invalid_request')
        }
      },
    )

    it('must be empty or JSON for cancel', async () => {
      const path = `/v1/executions/${await talk.start('hello', { do: 'wait', for: 'x' })}/cancel`
      expect((await talk.call('POST', path)).status).toBe(202)
      expect((await post('{"reason":"x"}', JSON_TYPE, path)).status).toBe(202)
      expectRefused(await post('reason', { 'content-type': 'text/plain' }, path), 415, 'unsupported_media_type')
      expectRefused(await post('{', JSON_TYPE, path), 400, 'invalid_request')
    })
  })

  describe('invalid JSON', () => {
    it.each(['{', 'undefined', '{"programId":"hello",}', '\u0000', '"', '[[['])('%j is 400', async (body) => {
      expectRefused(await post(body), 400, 'invalid_request')
    })

    it.each([
      ['not an object', '[]', 'must be object'],
      ['null', 'null', 'must be object'],
      ['text', '"hello"', 'must be object'],
      ['without programId', '{"input":1}', 'programId'],
      ['with a number as programId', '{"programId":1}', 'body/programId must be string'],
      ['with null as programId', '{"programId":null}', 'body/programId must be string'],
      ['with an empty programId', '{"programId":""}', 'body/programId'],
      ['with a version as text', '{"programId":"hello","version":"1"}', 'body/version must be integer'],
      ['with a version of 0', '{"programId":"hello","version":0}', 'body/version'],
      ['with half a version', '{"programId":"hello","version":1.5}', 'body/version must be integer'],
    ])('%s is 400, with the path', async (_what, body, message) => {
      const answer = await post(body)
      expectRefused(answer, 400, 'invalid_request')
      expect(answer.json.error.message).toContain(message)
    })

    it('is accepted with 256 levels and refused with 257, also with 200,000', async () => {
      const nested = (levels: number) =>
        `{"programId":"hello","input":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
      expect((await post(nested(256))).status).toBe(201)
      expectRefused(await post(nested(257)), 400, 'invalid_request')
      expectRefused(await post(nested(200_000)), 400, 'invalid_request')
    })

    it('may have members of any name, and unknown members', async () => {
      const input = '{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}},"toString":3,"":4}'
      const answer = await post(
        `{"programId":"hello","input":${input},"unknown":{"__proto__":null},"__proto__":{"version":9}}`,
      )
      expect(answer.status).toBe(201)
      expect(answer.text).toContain(`"input":${input}`)
      const path = `/v1/executions/${answer.json.id as string}`
      expect((await talk.call('GET', path)).text).toContain(`"input":${input}`)
      const result = await talk.call('GET', `${path}/result`, { headers: { prefer: 'wait=10' } })
      expect(result.text).toBe(`{"status":"completed","result":${input}}`)
    })

    it('keeps U+0000 where it is data', async () => {
      const input = { 'na\u0000me': ['\u0000', 'a\u0000b'] }
      const id = await talk.start('hello', input)
      expect((await talk.result(id)).result).toEqual(input)
      expect((await talk.execution(id)).input).toEqual(input)
    })
  })

  describe('the size of a body', () => {
    const ofBytes = (bytes: number) => {
      const frame = '{"programId":"hello","input":""}'
      return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
    }

    it('may be 1 MiB, not more', async () => {
      expect((await post(ofBytes(MIB))).status).toBe(201)
      const refused = await post(ofBytes(MIB + 1))
      expectRefused(refused, 413, 'payload_too_large')
      expect(refused.json?.error?.message).toBe('The body is larger than 1 MiB.')
    })

    it('that is refused reaches the caller, who is still sending, every time', async () => {
      for (let round = 0; round < 5; round += 1) {
        expectRefused(await post(ofBytes(8 * MIB)), 413, 'payload_too_large')
      }
    })

    it.each([
      [413, '/v1/executions', 'application/json'],
      [415, '/v1/executions', 'text/plain'],
      [404, '/v1/nothing', 'application/json'],
    ])('that is refused with %i reaches a caller who reads only once all is sent', async (status, path, type) => {
      for (let round = 0; round < 3; round += 1) {
        expect(await sendAllThenRead(path, type, ofBytes(16 * MIB))).toContain(`HTTP/1.1 ${status} `)
      }
    })

    it('may be 16 MiB for a deploy, not more', async () => {
      const artifactOf = (bytes: number) => {
        const frame = '{"format":"wes.program/1","id":"big","program":{"code":"({run(){}})","sourceMap":""}}'
        return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
      }
      expect(codeOf(await post(artifactOf(16 * MIB), JSON_TYPE, '/v1/programs/deploy'))).toEqual([201, undefined])
      const refused = await post(artifactOf(16 * MIB + 1), JSON_TYPE, '/v1/programs/deploy')
      expectRefused(refused, 413, 'payload_too_large')
      expect(refused.json?.error?.message).toBe('The body is larger than 16 MiB.')
    })

    it('is checked as it is stored, where numbers may be longer', async () => {
      const input = `[${Array.from({ length: 150_000 }, () => '1e20').join(',')}]`
      expectRefused(await post(`{"programId":"hello","input":${input}}`), 413, 'payload_too_large')
    })
  })
}
