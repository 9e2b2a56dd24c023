import { createServer } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { createServer as createSocketServer } from 'node:net'
import { text } from 'node:stream/consumers'
import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { within } from '../../src-runtime/shared/within.ts'
import { keepRegistered } from './keep-registered.ts'
import { listening } from './listening.test-support.ts'
import { createRestateDeployments, type RestateDeployments } from './restate-deployments.ts'

const WORKER = 'http://127.0.0.1:9'
const newerOf = () => Promise.resolve([])

/** The address of a worker that others reach. */
const answeringWorker = async (): Promise<string> =>
  `${await listening(createHttp2Server((_request, response) => response.end()))}/`

it('stops while Restate still shows work that was ended', async () => {
  const own = { id: 'dp_1', uri: WORKER, created_at: '2026-11-20T10:00:00Z' }
  const shown = { id: 'inv_1', service: 'Execution', key: 'exe_1', deployment: 'dp_removed' }
  let kills = 0
  const server = createServer(({ method, url }, response) => {
    if (method === 'PATCH') kills += 1
    if (url === '/query') return void response.end(JSON.stringify({ rows: [shown] }))
    if (url === '/services') return void response.end(JSON.stringify({ services: [] }))
    response.end(JSON.stringify(method === 'GET' ? { deployments: [own] } : { id: own.id }))
  })
  const deployments = createRestateDeployments([await listening(server)])
  const log = pino({ level: 'silent' })
  const registered = keepRegistered(deployments, WORKER, { newerOf, isAlone: false, log, lookEveryMs: 1 })
  await vi.waitUntil(() => kills > 1)
  const stopped = registered.stop().then(() => true)
  expect(await within(10_000, stopped)).toBe(true)
})

it('is registered although Restate, just back from a kill, first answers no queries', async () => {
  const own = { id: 'dp_1', uri: WORKER, created_at: '2026-11-20T10:00:00Z' }
  let queries = 0
  const server = createServer(({ method, url }, response) => {
    if (url !== '/query') return void response.end(JSON.stringify(method === 'GET' ? { deployments: [own] } : own))
    queries += 1
    const isBack = queries > 1
    response.writeHead(isBack ? 200 : 500)
    response.end(JSON.stringify(isBack ? { rows: [] } : { message: 'node N1:10 was shut down or removed' }))
  })
  const deployments = createRestateDeployments([await listening(server)])
  const registered = keepRegistered(deployments, WORKER, { newerOf, isAlone: true, log: pino({ level: 'silent' }) })
  onTestFinished(() => registered.stop())
  await registered.first
  expect(queries).toBe(2)
})

it('stops while Restate does not answer', async () => {
  let asked = 0
  const server = createServer(({ method }, response) => {
    if (method === 'GET') asked += 1
    else response.end(JSON.stringify({ id: 'dp_1' }))
  })
  const deployments = createRestateDeployments([await listening(server)])
  const log = pino({ level: 'silent' })
  const registered = keepRegistered(deployments, WORKER, { newerOf, isAlone: false, log, lookEveryMs: 1 })
  await vi.waitUntil(() => asked === 1)
  const stopped = registered.stop().then(() => true)
  expect(await within(5_000, stopped)).toBe(true)
})

it('stops while another worker does not answer', async () => {
  const frozen = createSocketServer()
  const asked = new Promise<void>((resolve) => frozen.once('connection', () => resolve()))
  const uri = `${await listening(frozen)}/v2`
  const deployments = {
    ...createRestateDeployments([WORKER]),
    register: () => Promise.resolve('dp_1'),
    list: () => Promise.resolve([{ id: 'dp_2', uri, createdAt: 0 }]),
  }
  const log = pino({ level: 'silent' })
  const registered = keepRegistered(deployments, WORKER, { newerOf, isAlone: false, log, lookEveryMs: 1 })
  await asked
  const stopped = registered.stop().then(() => true)
  expect(await within(5_000, stopped)).toBe(true)
})

it('says once, while it is tried again, why Restate does not take it', async () => {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  let tries = 0
  const deployments = {
    ...createRestateDeployments([WORKER]),
    list: () => Promise.resolve([]),
    register: () => {
      tries += 1
      return tries < 3 ? Promise.reject(new Error('nobody answers there')) : Promise.resolve('dp_1')
    },
  }
  const registered = keepRegistered(deployments, WORKER, { newerOf, isAlone: false, log, saysAfterMs: 0 })
  onTestFinished(() => registered.stop())
  await registered.first
  const said = lines.filter((line) => line.includes('cannot be registered at Restate'))
  expect(said.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      url: WORKER,
      err: expect.objectContaining({ message: 'nobody answers there' }) as unknown,
    }),
  ])
})

it('says after the last try that this worker could not be registered, and why', async () => {
  const deployments = {
    ...createRestateDeployments([WORKER]),
    list: () => Promise.reject(new Error('Restate is away')),
  }
  const log = pino({ level: 'silent' })
  const registered = keepRegistered(deployments, WORKER, { newerOf, isAlone: false, log, triesForMs: 0 })
  onTestFinished(() => registered.stop())
  await expect(registered.first).rejects.toMatchObject({
    message: 'this worker cannot be registered at Restate',
    cause: { message: 'Restate is away' },
  })
})

it('does not register once it was stopped', async () => {
  let tries = 0
  const deployments = {
    ...createRestateDeployments([WORKER]),
    list: async () => [],
    register: async () => {
      tries += 1
      throw new Error('Restate is away')
    },
  }
  const registered = keepRegistered(deployments, WORKER, { newerOf, isAlone: false, log: pino({ level: 'silent' }) })
  await vi.waitUntil(() => tries === 1)
  await registered.stop()
  await expect(registered.first).rejects.toThrow('aborted')
  expect(tries).toBe(1)
})

it('removes an address that answers too late, though new work comes to it for as long as it is known', async () => {
  const [own, other] = [
    { id: 'dp_1', uri: WORKER, created_at: '2026-11-20T10:00:00Z' },
    { id: 'dp_2', uri: 'http://127.0.0.1:10', created_at: '2026-11-20T11:00:00Z' },
  ]
  let known = [own, other]
  let ended = 0
  let looks = 0
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request
    if (method === 'DELETE') known = known.filter(({ id }) => !url.includes(id))
    if (method === 'PATCH') ended += 1
    if (url === '/services') looks += 1
    const comes = known.includes(other) ? Infinity : 1
    const row = { id: `inv_${ended}`, service: 'Execution', key: 'exe_1', deployment: other.id }
    void text(request).then((body) => {
      if (url === '/query') return response.end(JSON.stringify({ rows: ended < comes ? [row] : [] }))
      if (url === '/services') return response.end(JSON.stringify({ services: [{ deployment_id: known.at(-1)!.id }] }))
      if (method === 'GET') return response.end(JSON.stringify({ deployments: known }))
      return response.writeHead(body.includes(other.uri) ? 500 : 200).end(JSON.stringify({ id: own.id }))
    })
  })
  const deployments = createRestateDeployments([await listening(server)])
  const log = pino({ level: 'silent' })
  const registered = keepRegistered(deployments, WORKER, {
    newerOf,
    isAlone: false,
    log,
    lookEveryMs: 1,
    abandonAfterMs: 0,
  })
  onTestFinished(() => registered.stop())
  await vi.waitUntil(() => ended > 0)
  const before = looks
  await vi.waitUntil(() => looks > before + 1)
  expect(known).toEqual([own])
  expect(ended).toBe(1)
})

it('ends at once what came to an address until it was removed', async () => {
  const [own, other] = [
    { id: 'dp_1', uri: WORKER, created_at: '2026-11-20T10:00:00Z' },
    { id: 'dp_2', uri: 'http://127.0.0.1:10', created_at: '2026-11-20T09:00:00Z' },
  ]
  const late = { id: 'inv_late', service: 'Execution', key: 'exe_1', deployment: other.id }
  let known = [own, other]
  let isLeft = true
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request
    asked.push(`${method} ${url}`)
    if (method === 'DELETE') known = [own]
    if (method === 'PATCH') isLeft = false
    const isRemoved = known.length === 1
    void text(request).then((body) => {
      if (url === '/query') return response.end(JSON.stringify({ rows: isRemoved && isLeft ? [late] : [] }))
      if (url === '/services') return response.end(JSON.stringify({ services: [{ deployment_id: own.id }] }))
      if (method === 'GET') return response.end(JSON.stringify({ deployments: known }))
      return response.writeHead(body.includes(other.uri) ? 500 : 200).end(JSON.stringify({ id: own.id }))
    })
  })
  const deployments = createRestateDeployments([await listening(server)])
  const log = pino({ level: 'silent' })
  const registered = keepRegistered(deployments, WORKER, {
    newerOf,
    isAlone: false,
    log,
    lookEveryMs: 1,
    abandonAfterMs: 0,
  })
  await vi.waitUntil(() => !isLeft)
  await registered.stop()
  const since = asked.slice(asked.findIndex((one) => one.startsWith('DELETE')))
  // Each look asks for the services once.
  expect(since.slice(0, since.indexOf('PATCH /invocations/inv_late/kill'))).not.toContain('GET /services')
})

it('removes no address while it takes no work itself, nor at once when it takes work', async () => {
  /** At how many looks it had taken work before. */
  const removed: number[] = []
  const looks = { away: 0, here: 0 }
  let isAway = false
  let isReached = true
  const deployments = {
    ...createRestateDeployments([WORKER]),
    register: async () => 'dp_1',
    reaches: async () => isReached,
    list: async () => [
      { id: 'dp_1', uri: WORKER, createdAt: 0 },
      { id: 'dp_2', uri: 'http://127.0.0.1:10/', createdAt: 0 },
    ],
    remove: async () => void removed.push(looks.here),
    endOrphans: async () => 0,
    retireOthers: async () => {
      looks.here += 1
      return []
    },
  }
  const registered = keepRegistered(deployments, WORKER, {
    newerOf,
    isAlone: false,
    log: pino({ level: 'silent' }),
    isAway: () => {
      if (isAway) looks.away += 1
      return isAway
    },
    lookEveryMs: 1,
    abandonAfterMs: 0,
  })
  onTestFinished(() => registered.stop())
  await vi.waitUntil(() => looks.here > 5)
  isAway = true
  await vi.waitUntil(() => looks.away > 0)
  isReached = false
  await vi.waitUntil(() => looks.away > 5)
  expect(removed).toEqual([])
  const before = looks.here
  isAway = false
  await vi.waitUntil(() => removed.length > 0)
  expect(removed[0]! - before).toBe(2)
})

it('removes an address at which others answer and Restate gets no answer, unless Restate reaches no worker', async () => {
  const uri = await answeringWorker()
  const removed: string[] = []
  const state = { reachesOwn: false, checks: 0 }
  const deployments = {
    ...createRestateDeployments([WORKER]),
    register: async () => 'dp_1',
    reaches: async (asked: string) => asked === WORKER && state.reachesOwn,
    cannotReach: async () => {
      state.checks += 1
      return true
    },
    list: async () =>
      [
        { id: 'dp_1', uri: WORKER, createdAt: 0 },
        { id: 'dp_2', uri, createdAt: 1 },
      ].filter(({ id }) => !removed.includes(id)),
    remove: async (id: string) => void removed.push(id),
    endOrphans: async () => 0,
    retireOthers: async () => [],
  }
  const lines: string[] = []
  const registered = keepRegistered(deployments, WORKER, {
    newerOf,
    isAlone: false,
    log: pino({ base: null }, { write: (line) => void lines.push(String(JSON.parse(line).msg)) }),
    lookEveryMs: 1,
  })
  onTestFinished(() => registered.stop())
  await vi.waitUntil(() => state.checks >= 5)
  expect(removed).toEqual([])
  const before = state.checks
  state.reachesOwn = true
  await vi.waitUntil(() => removed.length > 0)
  expect(removed).toEqual(['dp_2'])
  expect(state.checks - before).toBeGreaterThanOrEqual(2)
  expect(lines).toEqual([expect.stringContaining('Restate does not reach another address')])
})

const OTHER = { id: 'dp_2', uri: 'http://127.0.0.1:10/', createdAt: 0 }

/** Restate as this worker finds it. `isNewer`: the other worker came to its address later. */
const keepBeside = (isNewer: boolean, known: readonly (typeof OTHER)[] = [OTHER]) => {
  const state = {
    known,
    registrations: 0,
    looks: 0,
    isRefused: false,
    isReplaced: isNewer,
    replaced: 0,
    retired: [] as (typeof OTHER)[],
    getsWork: undefined as boolean | undefined,
  }
  const lines: string[] = []
  const deployments = {
    ...createRestateDeployments([WORKER]),
    register: async () => {
      state.registrations += 1
      if (state.isRefused) throw new Error('nobody answers there')
      state.known = [OTHER, { id: 'dp_1', uri: WORKER, createdAt: 0 }]
      return 'dp_1'
    },
    reaches: async () => true,
    list: async () => state.known,
    endOrphans: async () => 0,
    retireOthers: async (_id, onRemoved) => {
      state.looks += 1
      const retired = state.retired.pop()
      if (retired !== undefined) onRemoved?.(retired)
      return state.isReplaced ? undefined : []
    },
  } satisfies RestateDeployments
  const registered = keepRegistered(deployments, WORKER, {
    isAlone: false,
    log: pino({ level: 'info', base: null }, { write: (line) => void lines.push(String(JSON.parse(line).msg)) }),
    newerOf: async (own, others) => {
      expect(own).toBe(WORKER)
      return isNewer ? others : []
    },
    onReplaced: () => (state.replaced += 1),
    onLook: (getsWork) => (state.getsWork = getsWork),
    lookEveryMs: 1,
  })
  onTestFinished(() => registered.stop())
  const severalLooks = async (): Promise<void> => {
    const before = state.looks
    await vi.waitUntil(() => state.looks > before + 3)
  }
  return { state, lines, registered, severalLooks }
}

it('is registered again whenever others have removed its address and it is the newest', async () => {
  const { state, lines, registered, severalLooks } = keepBeside(false)
  await registered.first
  expect(state.registrations).toBe(1)
  await severalLooks()
  state.known = [OTHER]
  await vi.waitUntil(() => state.registrations === 2)
  await severalLooks()
  expect(state.registrations).toBe(2)
  expect(lines).toEqual(['Restate did not know this address any more; it is registered again'])
})

it('is not registered at its start where workers answer at a newer address, until these are gone', async () => {
  const { state, lines, registered, severalLooks } = keepBeside(true)
  await registered.first
  await severalLooks()
  expect(state).toMatchObject({ registrations: 0, known: [OTHER] })
  expect(state.replaced).toBeGreaterThan(0)
  expect(lines).toEqual([expect.stringContaining('start it at another address')])
  state.known = []
  await vi.waitUntil(() => state.registrations === 1)
})

it('says once that it is not registered any more because a newer one is', async () => {
  const own = { id: 'dp_1', uri: WORKER, createdAt: 0 }
  const { state, lines, registered, severalLooks } = keepBeside(true, [OTHER, own])
  await registered.first
  await severalLooks()
  state.known = [OTHER]
  await severalLooks()
  expect(state.registrations).toBe(1)
  expect(lines).toEqual([
    expect.stringContaining('workers at another address get all new work'),
    'this address was removed from Restate: workers at a newer one get all work',
  ])
})

it('says once that it gets no new work, and once that it gets some again', async () => {
  const own = { id: 'dp_1', uri: WORKER, createdAt: 0 }
  const { state, lines, registered, severalLooks } = keepBeside(true, [OTHER, own])
  await registered.first
  await severalLooks()
  expect([state.getsWork, lines]).toEqual([
    false,
    [expect.stringContaining('start it at an address where this release was not before')],
  ])
  state.isReplaced = false
  await severalLooks()
  expect([state.getsWork, lines.slice(1)]).toEqual([true, ['this worker gets new work']])
})

it('says once that an older address was removed because its work is done', async () => {
  const { state, lines, registered, severalLooks } = keepBeside(false)
  await registered.first
  state.retired = [OTHER]
  await severalLooks()
  expect(lines).toEqual([expect.stringContaining('all work of workers at an older address is done')])
})

it('says once that Restate does not take its address any more', async () => {
  const { state, lines, registered, severalLooks } = keepBeside(false)
  await registered.first
  await severalLooks()
  state.isRefused = true
  state.known = [OTHER]
  await vi.waitUntil(() => state.registrations > 5)
  state.isRefused = false
  await severalLooks()
  expect(lines).toEqual([
    'Restate does not know this address any more, and does not take it; it is asked again',
    'Restate did not know this address any more; it is registered again',
  ])
})
