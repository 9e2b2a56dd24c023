// The same operations on ports whose answers come later, as those of a database over the network do.

import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ApiError } from '../contract/errors.ts'
import type { EndListener } from '../operations/end-listeners.ts'
import type { LocalPorts } from '../ports/local-ports.ts'
import { StoreUnavailableError } from '../shared/store-errors.ts'
import { createHttpRig } from './http-rig.test-support.ts'

const later = <Port extends object>(port: Port): Port =>
  Object.fromEntries(
    Object.entries(port).map(([name, method]: [string, (...args: unknown[]) => unknown]) => [
      name,
      async (...args: unknown[]) => {
        await new Promise((resolve) => setImmediate(resolve))
        const answer = await method(...args)
        await new Promise((resolve) => setImmediate(resolve))
        return answer
      },
    ]),
  ) as Port

const asynchronous = (ports: LocalPorts): LocalPorts => {
  const { projects, programs, executions, journal, overview } = ports.store
  return {
    ...ports,
    store: {
      projects: later(projects),
      programs: later(programs),
      executions: later(executions),
      journal: later(journal),
      overview: later(overview),
    },
    schemas: later(ports.schemas),
    bulks: later(ports.bulks),
  }
}

const createRig = async (ports: (real: LocalPorts) => LocalPorts = asynchronous) => {
  const rig = await createHttpRig({ ports })
  onTestFinished(rig.close)
  await rig.deploy('hello', { manifest: { inputSchema: { type: 'object' } } })
  return rig
}

it('serves all operations of an Execution', async () => {
  const { call, start } = await createRig()
  const id = await start('hello', { do: 'wait', for: 'go' })
  const path = `/v1/executions/${id}`
  expect((await call('POST', `${path}/events`, { json: { name: 'go', payload: 7 } })).status).toBe(202)
  const result = await call('GET', `${path}/result`, { headers: { prefer: 'wait=30' } })
  expect([result.json, result.headers['preference-applied']]).toEqual([{ status: 'completed', result: 7 }, 'wait=30'])
  expect((await call('GET', path)).json).toMatchObject({ input: { do: 'wait', for: 'go' }, result: 7 })
  expect((await call('GET', `${path}/history`)).json.items[0].type).toBe('execution_started')
  expect((await call('GET', '/v1/executions')).json.items).toMatchObject([
    { id, inputPreview: expect.stringContaining('wait') },
  ])
  expect((await call('GET', '/v1/executions/counts')).json.counts.completed).toBe(1)
  expect((await call('DELETE', path)).status).toBe(204)
  expect((await call('GET', path)).status).toBe(404)
})

it('refuses requests like other homes', async () => {
  const { call, deploy } = await createRig()
  const codeOf = async (...request: Parameters<typeof call>) => (await call(...request)).json.error.code
  const headers = { 'x-service-project-id': 'prj_none' }
  expect(await codeOf('GET', '/v1/programs', { headers })).toBe('project_not_found')
  expect(await codeOf('GET', '/v1/programs/none')).toBe('program_not_found')
  expect(await codeOf('GET', '/v1/programs/hello/versions/2/artifact')).toBe('version_not_found')
  expect(await codeOf('GET', '/v1/bulk/none')).toBe('bulk_not_found')
  expect(await codeOf('POST', '/v1/executions', { json: { programId: 'hello', input: 1 } })).toBe('invalid_input')
  await deploy('charge', { effects: { code: '({})' } })
  expect(await codeOf('POST', '/v1/executions', { json: { programId: 'charge' } })).toBe('program_not_runnable')
})

it('repeats a start with the same key, and runs bulks', async () => {
  const { call } = await createRig()
  const begin = () =>
    call('POST', '/v1/executions', {
      json: { programId: 'hello', input: { do: 'return', value: 1 } },
      headers: { 'idempotency-key': 'k', prefer: 'wait=30' },
    })
  const [first, second] = [await begin(), await begin()]
  expect([first.status, second.status, second.json.id]).toEqual([201, 200, first.json.id])
  expect(first.json).toMatchObject({ status: 'completed', result: 1 })
  const bulk = await call('POST', '/v1/bulk', { json: { action: 'run-again', filter: { status: 'completed' } } })
  expect(bulk.json).toMatchObject({ matched: 1 })
  await vi.waitFor(async () => expect((await call('GET', `/v1/bulk/${bulk.json.id}`)).json).toMatchObject({ done: 1 }))
})

it('reads an Execution that has ended once to answer a start', async () => {
  let reads = 0
  const { call } = await createRig((real) => {
    const { whole } = real.store.executions
    const counted = (key: number) => {
      reads += 1
      return whole(key)
    }
    return { ...real, store: { ...real.store, executions: { ...real.store.executions, whole: counted } } }
  })
  const begin = () =>
    call('POST', '/v1/executions', {
      json: { programId: 'hello', input: { do: 'return', value: 1 } },
      headers: { 'idempotency-key': 'k', prefer: 'wait=30' },
    })
  await begin()
  reads = 0
  const { json, headers } = await begin()
  expect(json).toMatchObject({ status: 'completed', result: 1 })
  expect([headers['preference-applied'], reads]).toEqual(['wait=30', 1])
})

it('does not hold an answer if the Execution ends between the read and the wait', async () => {
  let end = async (): Promise<unknown> => undefined
  const { call, start } = await createRig((real) => ({
    ...real,
    store: {
      ...real.store,
      executions: {
        ...real.store.executions,
        findOutcome: async (id) => {
          const found = await real.store.executions.findOutcome(id)
          await end()
          return found
        },
      },
    },
  }))
  const id = await start('hello', { do: 'wait', for: 'go' })
  end = async () => {
    end = async () => undefined
    await call('POST', `/v1/executions/${id}/events`, { json: { name: 'go', payload: 1 } })
    await vi.waitFor(async () => expect((await call('GET', `/v1/executions/${id}`)).json.status).toBe('completed'))
  }
  const before = performance.now()
  const { json } = await call('GET', `/v1/executions/${id}/result`, { headers: { prefer: 'wait=60' } })
  expect(json).toEqual({ status: 'completed', result: 1 })
  expect(performance.now() - before).toBeLessThan(8_000)
})

it('answers a held start with what the Execution has led to, also if it was deleted since', async () => {
  const told = Promise.withResolvers<EndListener>()
  const { call } = await createRig((real) => ({
    ...real,
    changes: {
      ...real.changes,
      whenTerminal: (_, listener) => {
        told.resolve(listener)
        return () => {}
      },
    },
  }))
  const begin = (prefer: string) =>
    call('POST', '/v1/executions', {
      json: { programId: 'hello', input: { do: 'wait', for: 'go' } },
      headers: { 'idempotency-key': 'k', prefer },
    })
  const { id } = (await begin('wait=0')).json
  const held = begin('wait=30')
  const tell = await told.promise
  await call('POST', `/v1/executions/${id}/events`, { json: { name: 'go', payload: 7 } })
  await vi.waitFor(async () => expect((await call('DELETE', `/v1/executions/${id}`)).status).toBe(204))
  tell({ status: 'completed', result: '{"result":7}', startedAt: 0, finishedAt: 1_000 })
  const { json } = await held
  expect(json).toMatchObject({ id, status: 'completed', result: 7, waitingFor: [], input: { do: 'wait', for: 'go' } })
  const times = ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:01.000Z']
  expect([json.startedAt, json.finishedAt]).toEqual(times)
})

it('counts the time for which a start may be held from when it arrived, and not from when it was stored', async () => {
  const clock = performance.now.bind(performance)
  let late = 0
  vi.spyOn(performance, 'now').mockImplementation(() => clock() + late)
  onTestFinished(() => void vi.restoreAllMocks())
  const whenTerminal = vi.fn<LocalPorts['changes']['whenTerminal']>(() => () => {})
  const { call } = await createRig((real) => ({
    ...real,
    changes: { ...real.changes, whenTerminal },
    worker: {
      ...real.worker,
      startExecution: (execution) => {
        late = 60_000
        return real.worker.startExecution(execution)
      },
    },
  }))
  const json = { programId: 'hello', input: { do: 'wait', for: 'go' } }
  const { status, headers } = await call('POST', '/v1/executions', { json, headers: { prefer: 'wait=60' } })
  expect([status, headers['preference-applied']]).toEqual([201, 'wait=60'])
  expect(whenTerminal).not.toHaveBeenCalled()
})

it('follows no changes for a caller who has left before they could be followed', async () => {
  const [asked, mayFollow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const answered = Promise.withResolvers<void>()
  let followed = 0
  const { port, app } = await createRig((real) => ({
    ...real,
    changes: {
      ...real.changes,
      stream: async (reader) => {
        const stream = await real.changes.stream(reader)
        asked.resolve()
        await mayFollow.promise
        setImmediate(answered.resolve)
        return (sink) => {
          followed += 1
          const leave = stream(sink)
          return () => {
            followed -= 1
            leave()
          }
        }
      },
    },
  }))
  const left = Promise.withResolvers<void>()
  app.server.once('connection', (socket: Socket) => socket.once('close', left.resolve))
  const caller = connect(port, '127.0.0.1')
  caller.write(`GET /v1/changes HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`)
  await asked.promise
  caller.destroy()
  await left.promise
  mayFollow.resolve()
  await answered.promise
  expect(followed).toBe(0)
})

it('starts another Execution, or answers as it was started, where one is deleted before it is read', async () => {
  let isDeleted = false
  const { call } = await createRig((real) => {
    const ports = asynchronous(real)
    const { executions } = ports.store
    const whole = async (key: number) => {
      if (isDeleted) await executions.delete(key)
      isDeleted = false
      return executions.whole(key)
    }
    return { ...ports, store: { ...ports.store, executions: { ...executions, whole } } }
  })
  const json = { programId: 'hello', input: {} }
  const started = (headers: Record<string, string>) => call('POST', '/v1/executions', { json, headers })
  const first = await started({ 'idempotency-key': 'k', prefer: 'wait=30' })
  isDeleted = true
  const second = await started({ 'idempotency-key': 'k', prefer: 'wait=30' })
  expect([first.status, second.status, second.json.id === first.json.id]).toEqual([201, 201, false])
  isDeleted = true
  const held = await started({ prefer: 'wait=30' })
  expect([held.status, held.headers['preference-applied']]).toEqual([201, 'wait=30'])
  expect((await call('GET', `/v1/executions/${held.json.id as string}`)).status).toBe(404)
})

it('answers a start as it was started, where nothing can be read once it is stored', async () => {
  let isAway = false
  const { call } = await createRig((real) => {
    const ports = asynchronous(real)
    const { executions } = ports.store
    const whole = async (key: number) => {
      if (isAway) throw new StoreUnavailableError('the store is away')
      return executions.whole(key)
    }
    return { ...ports, store: { ...ports.store, executions: { ...executions, whole } } }
  })
  const json = { programId: 'hello', input: {} }
  isAway = true
  const held = await call('POST', '/v1/executions', { json, headers: { prefer: 'wait=30' } })
  isAway = false
  expect([held.status, held.json.input, held.headers['preference-applied']]).toEqual([201, {}, undefined])
  expect((await call('GET', '/v1/executions')).json.items).toMatchObject([{ id: held.json.id }])
})

it('refuses a stream behind an answer that is still to come, whether or not that is held already', async () => {
  const { port, start, call } = await createRig()
  const id = await start('hello', { do: 'wait', for: 'go' })
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: localhost:${port}\r\n${more}\r\n`
  socket.write(request(`/v1/executions/${id}/result`, 'prefer: wait=30\r\n') + request('/v1/changes'))
  await vi.waitUntil(async () => (await call('GET', `/v1/executions/${id}`)).json.status === 'waiting')
  await call('POST', `/v1/executions/${id}/events`, { json: { name: 'go' } })
  await vi.waitFor(() => expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 429']))
})

it('refuses a stream that there is no room for', async () => {
  let isFull = false
  const free = () => () => {}
  const rig = await createHttpRig({
    room: { take: async () => free(), occupy: free, hold: () => (isFull ? undefined : free()), turn: async () => {} },
  })
  onTestFinished(rig.close)
  const open = () => fetch(`http://localhost:${rig.port}/v1/changes`)
  const stream = await open()
  expect(stream.status).toBe(200)
  await stream.body?.cancel()
  isFull = true
  const refused = await open()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect(await refused.json()).toMatchObject({ error: { code: 'rate_limited' } })
})

it('answers a held start as it was started, and refuses a held read, if there is no room for what came of it', async () => {
  const refusal = new ApiError('unavailable', 'There is no room.', { 'retry-after': '1' })
  let isFull = false
  const rig = await createHttpRig({
    ports: asynchronous,
    room: {
      take: async () => (isFull ? refusal : () => {}),
      occupy: () => () => {},
      hold: () => () => {},
      turn: () => Promise.resolve(),
    },
  })
  onTestFinished(rig.close)
  await rig.deploy('hello')
  const input = { do: 'wait', for: 'go' }
  const id = await rig.start('hello', input)
  const headers = { prefer: 'wait=60' }
  const read = rig.call('GET', `/v1/executions/${id}/result`, { headers })
  const start = rig.call('POST', '/v1/executions', { json: { programId: 'hello', input }, headers })
  const waiting = async () => (await rig.call('GET', '/v1/executions?status=waiting')).json.items as { id: string }[]
  await expect.poll(waiting).toHaveLength(2)
  const ids = (await waiting()).map((one) => one.id)
  isFull = true
  for (const one of ids) await rig.call('POST', `/v1/executions/${one}/events`, { json: { name: 'go' } })
  expect(await read).toMatchObject({ status: 503, json: { error: { code: 'unavailable' } } })
  const started = await start
  expect(started).toMatchObject({ status: 201, json: { input } })
  expect(started.headers['preference-applied']).toBeUndefined()
})
