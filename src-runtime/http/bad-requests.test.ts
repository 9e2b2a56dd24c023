import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpRig, type HttpRig } from './http-rig.test-support.ts'
import { rawRequest, readRaw } from './raw-request.test-support.ts'

let rig: HttpRig
beforeAll(async () => {
  rig = await createHttpRig()
  await rig.deploy('hello')
})
afterAll(() => rig.close())

const MIB = 1024 * 1024
const JSON_TYPE = { 'content-type': 'application/json' }
const codeOf = (answer: { readonly status: number; readonly json: { error?: { code: string } } }) => [
  answer.status,
  answer.json?.error?.code,
]
const post = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE, path = '/v1/executions') =>
  rig.call('POST', path, { body, headers })

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
    expect(codeOf(await post('{"programId":"hello"}', { 'content-type': type }))).toEqual([
      415,
      'unsupported_media_type',
    ])
  })

  it('is 415 if it is missing', async () => {
    expect(codeOf(await post('{"programId":"hello"}', {}))).toEqual([415, 'unsupported_media_type'])
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
    expect(codeOf(answer)).toEqual([415, 'unsupported_media_type'])
    expect((await post(body, { ...JSON_TYPE, 'content-encoding': 'identity' })).status).toBe(201)
  })
})

describe('a missing body', () => {
  it.each(['/v1/executions', '/v1/projects', '/v1/programs/deploy', '/v1/executions/exe_1/events'])(
    'is 400 for %s, whatever the type says',
    async (path) => {
      for (const headers of [{}, JSON_TYPE, { 'content-type': 'text/plain' }]) {
        expect(codeOf(await rig.call('POST', path, { headers }))).toEqual([400, 'invalid_request'])
      }
    },
  )

  it.each([
    ['no type', ''],
    ['JSON', 'content-type: application/json\r\n'],
    ['text', 'content-type: text/plain\r\n'],
    ['a type that is none', 'content-type: ;;;\r\n'],
    ['an empty type', 'content-type:\r\n'],
  ])('is accepted by cancel, with %s, with a length and in chunks', async (_what, type) => {
    const id = await rig.start('hello', { do: 'wait', for: 'x' })
    for (const framing of ['content-length: 0\r\n\r\n', 'transfer-encoding: chunked\r\n\r\n0\r\n\r\n', '\r\n']) {
      const head = `POST /v1/executions/${id}/cancel HTTP/1.1\r\nhost: localhost:${rig.port}\r\nconnection: close\r\n${type}`
      expect((await rawRequest(rig.port, head + framing)).split('\r\n')[0]).toBe('HTTP/1.1 202 Accepted')
    }
  })

  it('must be empty or JSON for cancel', async () => {
    const path = `/v1/executions/${await rig.start('hello', { do: 'wait', for: 'x' })}/cancel`
    expect((await post('{"reason":"x"}', JSON_TYPE, path)).status).toBe(202)
    expect(codeOf(await post('reason', { 'content-type': 'text/plain' }, path))).toEqual([
      415,
      'unsupported_media_type',
    ])
    expect(codeOf(await post('{', JSON_TYPE, path))).toEqual([400, 'invalid_request'])
  })
})

describe('invalid JSON', () => {
  it.each(['{', 'undefined', '{"programId":"hello",}', '\u0000', '"', '[[['])('%j is 400', async (body) => {
    expect(codeOf(await post(body))).toEqual([400, 'invalid_request'])
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
    expect(codeOf(answer)).toEqual([400, 'invalid_request'])
    expect(answer.json.error.message).toContain(message)
  })

  it('is accepted with 256 levels and refused with 257, also with 200,000', async () => {
    const nested = (levels: number) =>
      `{"programId":"hello","input":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect((await post(nested(256))).status).toBe(201)
    expect(codeOf(await post(nested(257)))).toEqual([400, 'invalid_request'])
    expect(codeOf(await post(nested(200_000)))).toEqual([400, 'invalid_request'])
  })

  it('may have members of any name, and unknown members', async () => {
    const input = '{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}},"toString":3,"":4}'
    const answer = await post(
      `{"programId":"hello","input":${input},"unknown":{"__proto__":null},"__proto__":{"version":9}}`,
    )
    expect(answer.status).toBe(201)
    expect(answer.text).toContain(`"input":${input}`)
    const read = await rig.call('GET', `/v1/executions/${answer.json.id}`)
    expect(read.text).toContain(`"input":${input}`)
    const result = await rig.call('GET', `/v1/executions/${answer.json.id}/result`, { headers: { prefer: 'wait=5' } })
    expect(result.text).toBe(`{"status":"completed","result":${input}}`)
  })
})

describe('the size of a body', () => {
  const ofBytes = (bytes: number) => {
    const frame = '{"programId":"hello","input":""}'
    return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
  }

  it('may be 1 MiB, not more', async () => {
    expect((await post(ofBytes(MIB))).status).toBe(201)
    expect(codeOf(await post(ofBytes(MIB + 1)))).toEqual([413, 'payload_too_large'])
  })

  it('is also checked for chunks, and for a length without a body', async () => {
    const head = `POST /v1/executions HTTP/1.1\r\nhost: localhost:${rig.port}\r\ncontent-type: application/json\r\nconnection: close\r\n`
    const chunk = `100000\r\n${'x'.repeat(MIB)}\r\n`
    const chunked = readRaw(
      await rawRequest(rig.port, `${head}transfer-encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`),
    )
    expect(codeOf(chunked)).toEqual([413, 'payload_too_large'])
    const announced = await new Promise<string>((resolve) => {
      const socket = connect(rig.port, '127.0.0.1', () => socket.write(`${head}content-length: 99999999\r\n\r\n`))
      socket.once('data', (data) => {
        socket.destroy()
        resolve(data.toString())
      })
    })
    expect(codeOf(readRaw(announced))).toEqual([413, 'payload_too_large'])
  })

  it('is refused with an answer that a sending caller always gets', async () => {
    for (let round = 0; round < 5; round += 1) {
      expect(codeOf(await post(ofBytes(8 * MIB)))).toEqual([413, 'payload_too_large'])
    }
  })

  it('may be 16 MiB for a deploy, not more', async () => {
    const artifactOf = (bytes: number) => {
      const frame = '{"format":"wes.program/1","id":"big","program":{"code":"({run(){}})","sourceMap":""}}'
      return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
    }
    expect((await post(artifactOf(16 * MIB), JSON_TYPE, '/v1/programs/deploy')).status).toBe(201)
    const refused = await post(artifactOf(16 * MIB + 1), JSON_TYPE, '/v1/programs/deploy')
    expect(codeOf(refused)).toEqual([413, 'payload_too_large'])
  })

  it('is checked as it is stored, where numbers may be longer', async () => {
    const input = `[${Array.from({ length: 150_000 }, () => '1e20').join(',')}]`
    expect(codeOf(await post(`{"programId":"hello","input":${input}}`))).toEqual([413, 'payload_too_large'])
  })
})

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
    expect(codeOf(await rig.call('GET', `/v1/executions?${query}`))).toEqual([400, 'invalid_request'])
  })

  it.each([
    '',
    'limit=1',
    'limit=200',
    'limit=007',
    'status=completed&status=failed',
    'status=completed&status=completed',
    'version=1',
    'programId=nobody',
    'createdAfter=2026-01-01',
    'createdAfter=2026-01-01T00:00:00.000Z&createdBefore=2026-01-01T01:00:00%2B01:00',
    'q=',
    'q=%25_%27',
    'unknown=1&__proto__=2&constructor=3',
    'status[]=nope',
  ])('%s is accepted', async (query) => {
    expect((await rig.call('GET', `/v1/executions?${query}`)).status).toBe(200)
  })
})

describe('an invalid target', () => {
  it.each(['/v1/executions/%', '/v1/executions/%zz', '/v1/executions/%c3%28', '/%', '/v1/programs/%ff/versions'])(
    '%s is 400',
    async (target) => {
      const head = `GET ${target} HTTP/1.1\r\nhost: localhost:${rig.port}\r\nconnection: close\r\n\r\n`
      expect(codeOf(readRaw(await rawRequest(rig.port, head)))).toEqual([400, 'invalid_request'])
    },
  )

  it('is refused by the guard first', async () => {
    const head = `GET /v1/executions/%zz HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`
    expect(codeOf(readRaw(await rawRequest(rig.port, head)))).toEqual([403, 'forbidden_host'])
  })

  it('is an unknown Execution for an id of any length', async () => {
    for (const length of [129, 600, 12_000]) {
      const answer = await rig.call('GET', `/v1/executions/${'x'.repeat(length)}`)
      expect(codeOf(answer)).toEqual([404, 'execution_not_found'])
      expect(answer.text.length).toBeLessThan(300)
    }
  })

  it('may be too long for a request head', async () => {
    const head = `GET /${'x'.repeat(70_000)} HTTP/1.1\r\nhost: localhost:${rig.port}\r\n\r\n`
    expect(codeOf(readRaw(await rawRequest(rig.port, head)))).toEqual([400, 'invalid_request'])
  })
})

describe('bytes that are not a request', () => {
  it.each([
    ['garbage', 'hello\r\n\r\n'],
    ['a TLS greeting', Buffer.from('16030100c8010000c40303', 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['another version', 'GET / HTTP/9.9\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\n: x\r\n\r\n'],
    ['a control character in a header', 'GET / HTTP/1.1\r\nhost: a\u0001b\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
    ['a length and chunks', 'POST / HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['a length that is no number', 'POST / HTTP/1.1\r\ncontent-length: ten\r\n\r\n'],
    ['a chunk of no size', 'POST /v1/projects HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
  ])('%s: get an error, and the connection is closed', async (_what, bytes) => {
    const answer = await rawRequest(rig.port, bytes)
    const last = readRaw(answer.slice(answer.lastIndexOf('HTTP/1.1 ')))
    expect(codeOf(last)).toEqual([400, 'invalid_request'])
    expect(last.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it('never crash the runtime', async () => {
    // A fixed sequence of pseudo-random bytes, half of them behind a good beginning.
    let seed = 7
    const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648)
    for (let round = 0; round < 40; round += 1) {
      const bytes = Buffer.from(Array.from({ length: 20 + (next() % 400) }, () => next() % 256))
      const good = Buffer.from(`POST /v1/executions HTTP/1.1\r\nhost: localhost:${rig.port}\r\n`)
      const socket = connect(rig.port, '127.0.0.1')
      socket.on('error', () => {})
      socket.end(round % 2 === 0 ? bytes : Buffer.concat([good, bytes]))
      socket.resume()
      await new Promise((resolve) => socket.once('close', resolve))
    }
    expect((await rig.call('GET', '/healthz')).status).toBe(200)
  })

  it('may be an interrupted CONNECT', async () => {
    const attempts = Array.from({ length: 20 }, async () => {
      const socket = connect(rig.port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(`CONNECT x:1 HTTP/1.1\r\nhost: localhost:${rig.port}\r\n\r\n${'x'.repeat(100_000)}`)
      await new Promise((resolve) => setImmediate(resolve))
      socket.resetAndDestroy()
      await new Promise((resolve) => socket.once('close', resolve))
    })
    await Promise.all(attempts)
    expect((await rig.call('GET', '/healthz')).status).toBe(200)
  })

  it('may ask for another protocol, and get HTTP', async () => {
    const upgrade = `GET /v1/projects HTTP/1.1\r\nhost: localhost:${rig.port}\r\nconnection: upgrade, close\r\nupgrade: websocket\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n`
    expect(await rawRequest(rig.port, upgrade)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('may stop in the middle of a body', async () => {
    const socket = connect(rig.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      `POST /v1/executions HTTP/1.1\r\nhost: localhost:${rig.port}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"progr`,
    )
    await new Promise((resolve) => setImmediate(resolve))
    socket.destroy()
    expect((await rig.call('GET', '/healthz')).status).toBe(200)
  })
})

describe('an expectation', () => {
  it('of 100-continue is met, and any other is ignored', async () => {
    const body = '{"programId":"hello"}'
    const head = (expectation: string) =>
      `POST /v1/executions HTTP/1.1\r\nhost: localhost:${rig.port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: ${expectation}\r\nconnection: close\r\n\r\n${body}`
    expect(await rawRequest(rig.port, head('100-continue'))).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /)
    expect(await rawRequest(rig.port, head('tea'))).toMatch(/^HTTP\/1\.1 201 /)
  })
})
