import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ApiError } from '../contract/errors.ts'
import { HostsUnavailableError } from '../shared/hosts-unavailable.ts'
import { DiskFaultError, DiskFullError, StoreClosedError, StoreUnavailableError } from '../shared/store-errors.ts'
import { createHttpApp } from './create-http-app.ts'
import { createHttpRig } from './http-rig.test-support.ts'
import { listenOn, listenOnLoopback } from './listen-on-loopback.ts'
import { rawRequest, readRaw } from './raw-request.test-support.ts'

describe('stopping', () => {
  it('answers held requests, ends streams, and is quick', async () => {
    const rig = await createHttpRig()
    await rig.deploy('hello')
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    const held = Array.from({ length: 10 }, () =>
      rig.call('GET', `/v1/executions/${id}/result`, { headers: { prefer: 'wait=60' } }),
    )
    const stream = await fetch(`${rig.origin}/v1/changes`)
    // All of them are under way when a later request has been answered.
    await rig.call('GET', '/healthz')
    const before = performance.now()
    await rig.listening.stop()
    expect(performance.now() - before).toBeLessThan(4_000)
    for (const answer of await Promise.all(held)) {
      expect([answer.status, answer.json.status, answer.headers['preference-applied']]).toEqual([
        200,
        'waiting',
        'wait=60',
      ])
    }
    expect(await stream.text()).toContain('id: epoch:')
    await expect(rig.call('GET', '/healthz')).rejects.toThrow('ECONNREFUSED')
    await rig.close()
  })

  it('answers all who connected before, and tells everybody to close', async () => {
    const rig = await createHttpRig()
    await rig.deploy('hello')
    const id = await rig.start('hello', { do: 'wait', for: 'go' })
    const path = `/v1/executions/${id}/result`
    const held = rig.call('GET', path, { headers: { prefer: 'wait=60' } })
    await rig.call('GET', '/healthz')
    const late = Array.from({ length: 100 }, () =>
      rawRequest(rig.port, `GET ${path} HTTP/1.1\r\nhost: localhost:${rig.port}\r\n\r\n`),
    )
    // They are connected now, and the server has not run since.
    await new Promise((resolve) => process.nextTick(resolve))
    await rig.listening.stop()
    const close = { connection: 'close' }
    expect(await held).toMatchObject({ status: 200, headers: close })
    for (const answer of await Promise.all(late)) expect(readRaw(answer)).toMatchObject({ status: 503, headers: close })
    await rig.close()
  })

  it('refuses a request that does not end in time', async () => {
    const gate = Promise.withResolvers<void>()
    const created = Promise.withResolvers<void>()
    const rig = await createHttpRig({
      store: (real) => ({
        ...real,
        projects: {
          ...real.projects,
          create: async (project) => {
            await gate.promise
            created.resolve()
            return real.projects.create(project)
          },
        },
      }),
    })
    const late = rig.call('POST', '/v1/projects', { json: { name: 'late' } })
    await rig.call('GET', '/healthz')
    const stopped = rig.listening.stop()
    expect(await late).toMatchObject({
      status: 503,
      headers: { connection: 'close', 'retry-after': '1', 'content-type': expect.stringContaining('application/json') },
      json: { error: { code: 'unavailable', message: 'The runtime is shutting down.' } },
    })
    await stopped
    gate.resolve()
    await created.promise
    await rig.close()
  })

  it('may be called twice, and does not wait for idle connections', async () => {
    const rig = await createHttpRig()
    const idle = connect(rig.port, '127.0.0.1')
    const half = connect(rig.port, '127.0.0.1', () => half.write('POST /v1/executions HTTP/1.1\r\nhost: localhost'))
    for (const socket of [idle, half]) socket.on('error', () => {})
    await rig.call('GET', '/healthz')
    const before = performance.now()
    await Promise.all([rig.listening.stop(), rig.listening.stop()])
    expect(performance.now() - before).toBeLessThan(4_000)
    for (const socket of [idle, half]) socket.destroy()
    await rig.close()
  })

  it('refuses later requests on an open connection', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const rig = await createHttpRig({
      store: (real) => ({
        ...real,
        projects: { ...real.projects, create: async (project) => gate.then(() => real.projects.create(project)) },
      }),
    })
    const socket = connect(rig.port, '127.0.0.1')
    let answer = ''
    socket.on('data', (data) => (answer += data.toString()))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const request = (body: string) =>
      `POST /v1/projects HTTP/1.1\r\nhost: localhost:${rig.port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    socket.write(request('{"name":"first"}'))
    await rig.call('GET', '/healthz')
    const stopped = rig.listening.stop()
    socket.write(request('{"name":"second"}'))
    await new Promise((resolve) => setImmediate(resolve))
    release()
    await stopped
    await closed
    expect(answer).toMatch(/^HTTP\/1\.1 201 /)
    // The second either found the connection closed, or was refused.
    expect(answer.match(/HTTP\/1\.1 (?!201)\d+/g) ?? ['HTTP/1.1 503']).toEqual(['HTTP/1.1 503'])
    expect(answer).not.toContain('"second"')
    await rig.close()
  })

  it.each([
    ['local', 'The runtime is shutting down.'],
    ['hosted', 'The service is shutting down.'],
  ] as const)('is what a %s home says to a request that comes later', async (home, message) => {
    const head = 'GET /v1/programs HTTP/1.1\r\nhost: localhost\r\n'
    let answer = ''
    const app = createHttpApp({
      ...{ home, handlers: {} as never, portsOf: () => undefined as never, log: pino({ level: 'silent' }) },
      ...{ guard: () => undefined, authenticate: () => new ApiError('unauthorized', 'Nobody is known.') },
      onStopping: async () => {
        socket.write('\r\n')
        answer = await text(socket)
      },
    })
    const connected = once(app.server, 'connection')
    const { port, stop } = await listenOnLoopback(app, 0, pino({ level: 'silent' }))
    const socket = connect(port, '127.0.0.1')
    socket.write(head)
    const [server] = (await connected) as [Socket]
    await vi.waitFor(() => expect(server.bytesRead).toBe(head.length))
    await stop()
    expect(readRaw(answer)).toMatchObject({ status: 503, json: { error: { code: 'unavailable', message } } })
  })
})

describe('stopping with time to leave', () => {
  const log = pino({ level: 'silent' })
  const unknown = () => new ApiError('unauthorized', 'Nobody is known.')
  const listen = async (
    leaveMs: number,
    more: { authenticate?: () => Promise<ApiError>; onStopping?: () => Promise<void> } = {},
  ) => {
    const app = createHttpApp({
      ...{ home: 'hosted', handlers: {} as never, portsOf: () => undefined as never, log },
      ...{ guard: () => undefined, authenticate: unknown, ...more },
    })
    return listenOn(app, { home: 'hosted', host: '127.0.0.1', port: 0, leaveMs }, log)
  }
  const request = 'GET /v1/programs HTTP/1.1\r\nhost: localhost\r\n\r\n'
  /** Has had an answer, and may send another request. */
  const keptConnection = async (port: number): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    await once(socket, 'data')
    return socket
  }

  it('answers each connection once more, and ends when nobody is connected', async () => {
    const { port, stop } = await listen(60_000)
    const sockets = await Promise.all([keptConnection(port), keptConnection(port)])
    const stopped = stop()
    await expect.poll(() => rawRequest(port, request).catch(String)).toContain('ECONNREFUSED')
    for (const socket of sockets) {
      socket.write(request)
      expect(readRaw(await text(socket))).toMatchObject({ status: 401, headers: { connection: 'close' } })
    }
    await stopped
  })

  it('closes the connections on which nobody asks anything', async () => {
    const { port, stop } = await listen(1)
    const socket = await keptConnection(port)
    await stop()
    expect(await text(socket)).toBe('')
  })

  it('prints no warning where other work took more than the time that requests have', async () => {
    const warnings: string[] = []
    const note = ({ message }: Error): void => void warnings.push(message)
    process.on('warning', note)
    const { now } = performance
    let tookMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + tookMs)
    onTestFinished(() => {
      process.off('warning', note)
      vi.restoreAllMocks()
    })
    const asked = Promise.withResolvers<void>()
    const { port, stop } = await listen(1, {
      authenticate: () => {
        asked.resolve()
        return new Promise(() => {})
      },
      onStopping: async () => void (tookMs = 60_000),
    })
    const answer = rawRequest(port, request)
    await asked.promise
    await stop()
    expect(readRaw(await answer).status).toBe(503)
    expect(warnings).toEqual([])
  })
})

describe('a store that cannot write', () => {
  it.each([
    [503, 'unavailable', new StoreUnavailableError('disk full at /secret/path')],
    [503, 'unavailable', new StoreClosedError('closed')],
    [500, 'internal', new Error('SQLITE_CORRUPT: secret')],
  ])('is %i %s, and leaks nothing', async (status, code, error) => {
    const rig = await createHttpRig({
      store: (real) => ({
        ...real,
        projects: {
          ...real.projects,
          create: () => Promise.reject(error),
          list: () => {
            throw error
          },
        },
      }),
    })
    for (const answer of [
      await rig.call('POST', '/v1/projects', { json: { name: 'x' } }),
      await rig.call('GET', '/v1/projects'),
    ]) {
      expect([answer.status, answer.json.error.code]).toEqual([status, code])
      expect(answer.text).not.toMatch(/secret|SQLITE|disk|stack/)
      if (status === 503)
        expect(answer.json.error.message).toContain('cannot be reached or stored right now: try again')
    }
    await rig.close()
  })
})

it.each([
  ['full disk', DiskFullError, 'The disk that holds the data is full: make room on it, then try again.'],
  [
    'disk that cannot be written',
    DiskFaultError,
    'The disk that holds the data cannot be read or written: see to it, then try again.',
  ],
])('a %s is named, without what SQLite says', async (_, Fault, message) => {
  const error = new Fault('the disk does not do it (SQLITE_IOERR: /secret/path)')
  const rig = await createHttpRig({
    store: (real) => ({ ...real, projects: { ...real.projects, create: () => Promise.reject(error) } }),
  })
  const answer = await rig.call('POST', '/v1/projects', { json: { name: 'x' } })
  expect([answer.status, answer.json.error]).toEqual([503, { code: 'unavailable', message }])
  await rig.close()
})

it('a deploy is 503 while no process can be started that checks it', async () => {
  const error = new HostsUnavailableError('no Program host can be started: EAGAIN')
  const rig = await createHttpRig({ ports: (real) => ({ ...real, hosts: { check: () => Promise.reject(error) } }) })
  const artifact = { format: 'wes.program/1', id: 'p', program: { code: '({ run: async () => 1 })' } }
  const answer = await rig.call('POST', '/v1/programs/deploy', { json: artifact })
  expect([answer.status, answer.json.error]).toEqual([
    503,
    { code: 'unavailable', message: 'Programs cannot be checked right now: try again.' },
  ])
  await rig.close()
})
