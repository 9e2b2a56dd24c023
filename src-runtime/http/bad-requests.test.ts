import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { API_HEADERS } from './headers.ts'
import { createHttpRig, type HttpRig } from './http-rig.test-support.ts'
import { rawRequest, readRaw } from './raw-request.test-support.ts'

let rig: HttpRig
beforeAll(async () => {
  rig = await createHttpRig()
  await rig.deploy('hello')
})
afterAll(() => rig.close())

const MIB = 1024 * 1024
const codeOf = (answer: { readonly status: number; readonly json: { error?: { code: string } } }) => [
  answer.status,
  answer.json?.error?.code,
]
it('the id of a project in a header is read as UTF-8', async () => {
  const headers = { 'x-service-project-id': Buffer.from('Büro 😀').toString('latin1') }
  const { json } = await rig.call('GET', '/v1/programs', { headers })
  expect(json.error).toEqual({ code: 'project_not_found', message: 'There is no project "Büro 😀".' })
})

describe('a missing body', () => {
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
})

it('does not log a fault when the connection ends before a body of an unknown type shows whether it is empty', async () => {
  const faults = vi.spyOn(rig.log, 'error')
  onTestFinished(() => faults.mockRestore())
  const socket = connect(rig.port, '127.0.0.1')
  socket.end(`POST /v1/bulk/x/stop HTTP/1.1\r\nhost: localhost:${rig.port}\r\ntransfer-encoding: chunked\r\n\r\n`)
  await once(socket.resume(), 'close')
  await rig.call('GET', '/healthz')
  expect(faults).not.toHaveBeenCalled()
})

describe('the size of a body', () => {
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
})

describe('an invalid target', () => {
  it.each(['/v1/executions/%', '/v1/executions/%zz', '/v1/executions/%c3%28', '/%', '/v1/programs/%ff/versions'])(
    '%s is 400',
    async (target) => {
      const head = `GET ${target} HTTP/1.1\r\nhost: localhost:${rig.port}\r\nconnection: close\r\n\r\n`
      expect(codeOf(readRaw(await rawRequest(rig.port, head)))).toEqual([400, 'invalid_request'])
    },
  )

  it('opens the page, which says so, for who asks for HTML outside the API', async () => {
    const answerTo = async (target: string) => {
      const head = `GET ${target} HTTP/1.1\r\nhost: localhost:${rig.port}\r\naccept: text/html\r\nconnection: close\r\n\r\n`
      return (await rawRequest(rig.port, head)).split('\r\n')[0]
    }
    for (const target of ['/executions/%E0%A4%A', '/%'])
      expect([target, await answerTo(target)]).toEqual([target, 'HTTP/1.1 200 OK'])
    for (const target of ['/v1/executions/%', '/local/v1/%', '/assets/%']) {
      expect([target, await answerTo(target)]).toEqual([target, 'HTTP/1.1 400 Bad Request'])
    }
  })

  it('is refused by the guard first', async () => {
    const head = `GET /v1/executions/%zz HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`
    expect(codeOf(readRaw(await rawRequest(rig.port, head)))).toEqual([403, 'forbidden_host'])
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
  ])('%s: get an error, and the connection is closed', async (_what, bytes) => {
    const answer = readRaw(await rawRequest(rig.port, bytes))
    expect(codeOf(answer)).toEqual([400, 'invalid_request'])
    expect(answer.headers).toMatchObject(API_HEADERS)
  })

  it('may be a chunk of no size, and are answered once', async () => {
    const codeWith = async (host: string) => {
      const head = `POST /v1/projects HTTP/1.1\r\nhost: ${host}\r\ntransfer-encoding: chunked\r\n\r\n`
      return codeOf(readRaw(await rawRequest(rig.port, `${head}zz\r\n`)))
    }
    expect(await codeWith(`localhost:${rig.port}`)).toEqual([400, 'invalid_request'])
    expect(await codeWith('x')).toEqual([403, 'forbidden_host'])
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

  it('are answered after the requests before them', async () => {
    const { port } = rig
    const start = JSON.stringify({ programId: 'nobody' })
    const head = `POST /v1/executions HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/json\r\n`
    const request = `${head}content-length: ${start.length}\r\n\r\n${start}`
    const answers = await rawRequest(port, `${request}${request}rest of a body\r\n\r\n`)
    expect(answers.match(/(?<=HTTP\/1.1 )\d+|(?<="code":")\w+/g)).toEqual([
      ...['404', 'program_not_found'],
      ...['404', 'program_not_found'],
      ...['400', 'invalid_request'],
    ])
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

  it('may stop in the middle of a body, and is answered once', async () => {
    const head = `POST /v1/none HTTP/1.1\r\nhost: localhost:${rig.port}\r\ncontent-type: application/json\r\ncontent-length: 100`
    const { status, json } = readRaw(await rawRequest(rig.port, `${head}\r\n\r\n{"progr`))
    expect([status, json.error.code]).toEqual([404, 'not_found'])
  })

  it('may end in the middle of a body', async () => {
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

  it.each([
    ['/v1/nothing', 100, 404],
    ['/v1/executions', 17 * MIB, 413],
  ])('of 100-continue is not met at %s for a body of %i bytes, which is refused', async (path, length, status) => {
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost:${rig.port}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\nexpect: 100-continue\r\n\r\n`
    const answer = await rawRequest(rig.port, head)
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`])
  })
})
