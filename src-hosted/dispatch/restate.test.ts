import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { createServer as createSocketServer, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createEndpointHandler, object, type ObjectContext } from '@restatedev/restate-sdk'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { startTestRestate } from '../boot/restate.test-support.ts'
import type { RestateNode } from '../boot/restate-node.ts'
import type { Performed, Visited, Work } from './dispatcher.ts'
import { holdWhileAway } from './hold-while-away.ts'
import { keepRegistered } from './keep-registered.ts'
import { listening } from './listening.test-support.ts'
import { createRestateDeployments, type RestateDeployments } from './restate-deployments.ts'
import { createRestateDispatcher } from './restate-dispatcher.ts'
import { startRestateEndpoint, type RestateEndpoint } from './restate-endpoint.ts'
import { restateObjects } from './restate-objects.ts'

const log = pino({ level: 'silent' })
let node: RestateNode
const workers: RestateEndpoint[] = []

beforeAll(async () => {
  node = await startTestRestate()
})
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop(0)))
  await endEverything()
  const { list, remove } = createRestateDeployments([node.adminUrl])
  for (const { id } of await list()) await remove(id)
})
afterAll(() => node.stop())

/**
 * Also work that Restate does not yet show at any deployment, though a worker has been asked for it. What is left keeps the
 * Execution's key, so that the tests after it would wait for their messages.
 */
const endEverything = async (): Promise<void> => {
  const query = `SELECT id FROM sys_invocation WHERE status <> 'completed'`
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  await vi.waitFor(async () => {
    const answer = await fetch(`${node.adminUrl}/query`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    const { rows } = (await answer.json()) as { rows: readonly { id: string }[] }
    await Promise.all(rows.map(({ id }) => fetch(`${node.adminUrl}/invocations/${id}/kill`, { method: 'PATCH' })))
    expect(rows).toEqual([])
  })
}

const nothing: Work = {
  visit: () => Promise.resolve({ attempts: [] }),
  perform: () => Promise.resolve({ kind: 'nothing' }),
}

const startWorker = async (
  work: Partial<Work>,
  port = 0,
  logged = log,
): Promise<{ url: string; endpoint: RestateEndpoint }> => {
  const endpoint = await startRestateEndpoint({
    host: '127.0.0.1',
    port,
    work: { ...nothing, ...work },
    identityKeys: [],
    log: logged,
  })
  workers.push(endpoint)
  return { url: `http://127.0.0.1:${endpoint.port}${endpoint.path}`, endpoint }
}

const startRegistered = async (work: Partial<Work>): Promise<string> =>
  createRestateDeployments([node.adminUrl]).register((await startWorker(work)).url)

/** A worker that is killed in a visit of `exe_1`. */
const leaveUnfinished = async (deployments: RestateDeployments, seen: string[]): Promise<void> => {
  const gone = await startWorker({ visit: (id) => new Promise(() => seen.push(`gone ${id}`)) })
  await deployments.register(gone.url)
  await dispatcher().poke('exe_1', 'start')
  await vi.waitUntil(() => seen.length === 1)
  await gone.endpoint.stop(0)
}

const isAskedByWorkers = (path: string): boolean => path.endsWith('/health')

/** Answers Restate, and no other worker, unless told what it hides. */
const startHiddenWorker = async (work: Partial<Work>, hides = isAskedByWorkers): Promise<string> => {
  const handle = createEndpointHandler({ services: restateObjects({ ...nothing, ...work }), logger: () => {} })
  const server = createHttp2Server((request, response) => {
    if (hides(request.url)) response.writeHead(503).end()
    else if (isAskedByWorkers(request.url)) response.end()
    else handle(request, response)
  })
  return `${await listening(server)}/v2`
}

/** Addresses in the order in which they were first seen, as the store notes it. */
let addresses: string[] = []
beforeEach(() => {
  addresses = []
})
const newerOf = async (own: string, others: readonly string[]): Promise<readonly string[]> => {
  for (const one of [...others, own]) if (!addresses.includes(one)) addresses.push(one)
  return others.filter((other) => addresses.indexOf(other) > addresses.indexOf(own))
}

/** Looks often, and does not wait for long. */
const startKeeping = async (deployments: RestateDeployments, url: string, onReplaced?: () => void): Promise<void> => {
  const quick = { isAlone: false, newerOf, log, lookEveryMs: 20, abandonAfterMs: 200 }
  const registered = keepRegistered(deployments, url, { ...quick, ...(onReplaced && { onReplaced }) })
  onTestFinished(() => registered.stop())
  await registered.first
}

/** Passes requests on, and calls back after each before it is answered. */
const startProxy = async (target: string, after: (path: string) => Promise<void>): Promise<string> => {
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url: path = '/' } = request
    const body = method === 'GET' ? undefined : await text(request)
    const headers = { accept: 'application/json', 'content-type': 'application/json' }
    const answer = await fetch(target + path, { method, headers, ...(body !== undefined && { body }) })
    const answered = await answer.text()
    await after(path)
    response.writeHead(answer.status).end(answered)
  }
  return listening(createServer((request, response) => void pass(request, response)))
}

const noting =
  (worker: string, seen: string[]): Work['visit'] =>
  async (id) => {
    seen.push(`${worker} ${id}`)
    return { attempts: [] }
  }

const dispatcher = () => createRestateDispatcher(['http://127.0.0.1:9', node.ingressUrl])

it('visits on a poke, performs what the visit asks for, and pokes with the outcome', async () => {
  const seen: string[] = []
  const visits: Visited[] = [
    { attempts: [{ command: 7, attempt: 1, delayMs: 0 }], next: { why: 'timer', delayMs: 20 } },
    { attempts: [] },
    { attempts: [] },
  ]
  const performs: Performed[] = [{ kind: 'again', attempt: 2, delayMs: 0 }, { kind: 'poke' }]
  const performedAt: number[] = []
  await startRegistered({
    visit: async (id, invocation, why) => {
      expect(invocation).toMatch(/^inv_/)
      seen.push(`${id} ${why}`)
      return visits.shift()!
    },
    perform: async ({ executionId, command, attempt }) => {
      performedAt.push(Date.now())
      seen.push(`${executionId} effect ${command} attempt ${attempt}`)
      return performs.shift()!
    },
  })
  await dispatcher().poke('exe_1', 'start')
  await vi.waitUntil(() => seen.length === 5)
  // The first handler has ended by then, so that no message waits for it in Restate.
  expect(performedAt[1]! - performedAt[0]!).toBeGreaterThanOrEqual(20)
  expect(seen[0]).toBe('exe_1 start')
  expect(seen.toSorted()).toEqual([
    'exe_1 effect',
    'exe_1 effect 7 attempt 1',
    'exe_1 effect 7 attempt 2',
    'exe_1 start',
    'exe_1 timer',
  ])
})

it('ends messages about schedules, which earlier releases left', async () => {
  await startRegistered({})
  const send = (path: string) =>
    fetch(`${node.ingressUrl}/Schedule/trg_1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"at":1000}',
    })
  expect((await send('fire')).status).toBe(200)
})

it('visits an Execution once at a time, and again with the same invocation after a failure', async () => {
  const invocations: string[] = []
  let underWay = 0
  let most = 0
  await startRegistered({
    visit: async (_id, invocation) => {
      invocations.push(invocation)
      most = Math.max(most, ++underWay)
      await new Promise((resolve) => setImmediate(resolve))
      underWay -= 1
      if (invocations.length === 1) throw new Error('the database is away')
      return { attempts: [] }
    },
  })
  await Promise.all([1, 2, 3].map(() => dispatcher().poke('exe_1', 'event')))
  await vi.waitUntil(() => invocations.length === 4)
  expect(most).toBe(1)
  expect(invocations[1]).toBe(invocations[0])
  expect(new Set(invocations).size).toBe(3)
})

it('lets a new address take over, and retires the old one once nothing on it is unfinished', async () => {
  const deployments = createRestateDeployments([node.adminUrl])
  let finish = (): void => {}
  const seen: string[] = []
  const oldWorker = await startWorker({
    visit: (id) =>
      new Promise((resolve) => {
        seen.push(`old ${id}`)
        finish = () => resolve({ attempts: [] })
      }),
  })
  const oldId = await deployments.register(oldWorker.url)
  await dispatcher().poke('exe_1', 'start')
  await vi.waitUntil(() => seen.length === 1)

  const id = await startRegistered({ visit: noting('new', seen) })
  expect(id).not.toBe(oldId)
  expect(await deployments.retireOthers(oldId)).toBeUndefined() // it is not the latest, so it removes nobody
  await dispatcher().poke('exe_2', 'start')
  await vi.waitUntil(() => seen.includes('new exe_2'))
  const removed: string[] = []
  const left = () => deployments.retireOthers(id, (one) => void removed.push(one.id))
  await vi.waitUntil(async () => (await left())?.length === 1)
  expect(removed).toEqual([])
  finish()
  await vi.waitUntil(async () => (await left())?.length === 0)
  expect(removed).toEqual([oldId])
  await dispatcher().poke('exe_1', 'event')
  await vi.waitUntil(() => seen.includes('new exe_1'))
  expect(await deployments.register(oldWorker.url)).not.toBe(oldId)
})

it('ends what is unfinished at an address that was removed, so that it is done elsewhere', async () => {
  const deployments = createRestateDeployments([node.adminUrl])
  const seen: string[] = []
  const removed = await startWorker({ visit: (id) => new Promise(() => seen.push(`removed ${id}`)) })
  const id = await deployments.register(removed.url)
  await dispatcher().poke('exe_1', 'start')
  await vi.waitUntil(() => seen.length === 1)
  await startRegistered({ visit: noting('new', seen) })
  await fetch(`${node.adminUrl}/deployments/${id}?force=true`, { method: 'DELETE' })
  await removed.endpoint.stop(0)
  await dispatcher().poke('exe_1', 'sweep')
  expect(await deployments.endOrphans()).toBe(1)
  await vi.waitUntil(() => seen.length === 2)
  expect(seen).toEqual(['removed exe_1', 'new exe_1'])
  expect(await deployments.endOrphans()).toBe(0)
})

it('removes no worker that became the latest while it was asking', async () => {
  const { url } = await startWorker({})
  let newer = ''
  const proxy = await startProxy(node.adminUrl, async (path) => {
    if (path === '/services') newer = await startRegistered({})
  })
  const deployments = createRestateDeployments([proxy])
  const id = await deployments.register(url)
  for (const _ of [1, 2, 3]) {
    const before = newer
    await deployments.retireOthers(id)
    const { deployments: left } = (await (await fetch(`${node.adminUrl}/deployments`)).json()) as {
      deployments: readonly { id: string }[]
    }
    expect(left.map((one) => one.id)).toContain(newer)
    expect(newer).not.toBe(before)
  }
})

it('logs what fails, but not what a stop cuts off', async () => {
  const lines: string[] = []
  const listening = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const fails: (() => void)[] = []
  const work: Work = {
    ...nothing,
    visit: () => new Promise((_, reject) => fails.push(() => reject(new Error('no')))),
  }
  const endpoint = await startRestateEndpoint({ host: '127.0.0.1', port: 0, work, identityKeys: [], log: listening })
  await createRestateDeployments([node.adminUrl]).register(`http://127.0.0.1:${endpoint.port}${endpoint.path}`)
  await dispatcher().poke('exe_1', 'start')
  await vi.waitUntil(() => fails.length === 1)
  fails[0]!()
  await vi.waitUntil(() => fails.length === 2)
  const before = lines.length
  expect(before).toBeGreaterThan(0)
  await endpoint.stop(200, async () => fails[1]!())
  expect(lines.slice(before)).toEqual([])
})

it('logs one line for all handlers that Restate gives up', async () => {
  const lines: string[] = []
  const listening = pino({ level: 'warn', base: null, timestamp: false }, { write: (line) => void lines.push(line) })
  const seen: string[] = []
  const work: Work = {
    ...nothing,
    visit: (id, _invocation, _why, _trace, dropped) =>
      new Promise((_, reject) => {
        seen.push(id)
        dropped?.addEventListener('abort', () => reject(new Error('nobody waits for it any more')))
      }),
  }
  const endpoint = await startRestateEndpoint({ host: '127.0.0.1', port: 0, work, identityKeys: [], log: listening })
  workers.push(endpoint)
  await createRestateDeployments([node.adminUrl]).register(`http://127.0.0.1:${endpoint.port}${endpoint.path}`)
  await Promise.all(['exe_1', 'exe_2', 'exe_3'].map((id) => dispatcher().poke(id, 'start')))
  await vi.waitUntil(() => seen.length === 3)
  await endEverything()
  await vi.waitUntil(() => lines.length > 0)
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      level: 40,
      count: 3,
      msg: 'Restate has given up handlers that it had called here, and calls them again',
    },
  ])
})

it('has another address once its handlers have other options, because Restate reads them only once at an address', async () => {
  const { url } = await startWorker({})
  await createRestateDeployments([node.adminUrl]).register(url)
  const ofService = async (name: string) => {
    const options = (await (await fetch(`${node.adminUrl}/services/${name}`)).json()) as Record<string, unknown>
    return [options['inactivity_timeout'], options['abort_timeout'], options['idempotency_retention']]
  }
  expect([new URL(url).pathname, await ofService('Execution'), await ofService('Effect')]).toEqual([
    '/v3',
    ['1h', '30s', '0s'],
    ['1d', '30s', '0s'],
  ])
})

it('registers the same address again without a new deployment', async () => {
  const deployments = createRestateDeployments([node.adminUrl])
  const { url } = await startWorker({})
  expect(await deployments.register(url)).toBe(await deployments.register(url))
})

it('adds no visit for the sweeper while one that it asked for has not ended, and goes on with all others', async () => {
  const seen: string[] = []
  const ends: (() => void)[] = []
  await startRegistered({
    visit: async (_id, _invocation, why) => {
      seen.push(why)
      await new Promise<void>((end) => ends.push(end))
      return { attempts: [] }
    },
  })
  const endVisit = async (count: number): Promise<void> => {
    await vi.waitUntil(() => ends.length === count)
    ends.at(-1)!()
  }
  await dispatcher().poke('exe_1', 'start')
  await vi.waitUntil(() => seen.length === 1)
  for (let asked = 0; asked < 3; asked += 1) await dispatcher().sweep('exe_1')
  await dispatcher().poke('exe_1', 'event')
  for (const count of [1, 2, 3]) await endVisit(count)
  expect(seen.toSorted()).toEqual(['event', 'start', 'sweep'])
  // Restate may not have read yet that the last visit has ended.
  await vi.waitUntil(async () => {
    await dispatcher().sweep('exe_1')
    return seen.length === 4
  })
  await endVisit(4)
  expect(seen.at(-1)).toBe('sweep')
})

it('abandons what is unfinished at addresses that are gone', async () => {
  const deployments = createRestateDeployments([node.adminUrl])
  const seen: string[] = []
  await leaveUnfinished(deployments, seen)
  const id = await startRegistered({ visit: noting('new', seen) })
  await deployments.abandonOthers(id)
  await dispatcher().poke('exe_1', 'sweep')
  await vi.waitUntil(() => seen.length === 2)
  expect(seen).toEqual(['gone exe_1', 'new exe_1'])
})

it('asks for visits of Executions whose visits or effects it ends', async () => {
  const seen: string[] = []
  const hang = (what: string) => new Promise<never>(() => seen.push(what))
  const gone = await startWorker({
    visit: (id) => hang(`gone ${id}`),
    perform: ({ executionId, command }) => hang(`gone ${executionId} effect ${command}`),
  })
  const deployments = createRestateDeployments([node.adminUrl], dispatcher())
  await deployments.register(gone.url)
  await dispatcher().poke('exe_1', 'start')
  for (const command of [1, 2]) await dispatcher().perform({ executionId: 'exe_2', command, attempt: 1 }, 0)
  await vi.waitUntil(() => seen.length === 3)
  await gone.endpoint.stop(0)
  const { url } = await startWorker({
    visit: async (id, _invocation, why) => {
      seen.push(`new ${id} ${why}`)
      return { attempts: [{ command: 1, attempt: 1, delayMs: 0 }] }
    },
    perform: async ({ executionId, command }) => {
      seen.push(`new ${executionId} effect ${command}`)
      return { kind: 'nothing' }
    },
  })
  await deployments.abandonOthers(await deployments.register(url))
  const wanted = ['new exe_1 effect 1', 'new exe_1 sweep', 'new exe_2 effect 1', 'new exe_2 sweep']
  await vi.waitFor(() => expect(seen.slice(3).toSorted()).toEqual(wanted))
})

it('abandons what is unfinished at an address that has not answered for some time, and at no other', async () => {
  const deployments = createRestateDeployments([node.adminUrl])
  const seen: string[] = []
  let finish = (): void => {}
  const visits = (name: string) => ({
    visit: (id: string) =>
      new Promise<Visited>((resolve) => {
        seen.push(`${name} ${id}`)
        finish = () => resolve({ attempts: [] })
      }),
  })
  const gone = await startWorker(visits('gone'))
  await deployments.register(gone.url)
  await dispatcher().poke('exe_1', 'start')
  await vi.waitUntil(() => seen.length === 1)
  const slow = await startWorker(visits('slow'))
  const slowId = await deployments.register(slow.url)
  await dispatcher().poke('exe_2', 'start')
  await vi.waitUntil(() => seen.length === 2)
  await gone.endpoint.stop(0)

  const { url } = await startWorker({ visit: noting('new', seen) })
  await startKeeping(deployments, url)
  await dispatcher().poke('exe_1', 'sweep')
  await vi.waitUntil(() => seen.includes('new exe_1'))
  const left = async () => (await deployments.retireOthers(await deployments.register(url)))?.map(({ id }) => id)
  await vi.waitFor(async () => expect(await left()).toEqual([slowId]))
  finish()
  await vi.waitFor(async () => expect(await left()).toEqual([]))
})

it('removes no worker that another one cannot reach while Restate reaches it', async () => {
  const deployments = createRestateDeployments([node.adminUrl], dispatcher())
  const seen: string[] = []
  const registered: string[] = []
  const looks = [0, 0]
  for (const [index] of looks.entries()) {
    const url = await startHiddenWorker({ visit: (id) => new Promise(() => seen.push(`${index} ${id}`)) })
    const watched: RestateDeployments = {
      ...deployments,
      register: (uri) => {
        registered.push(uri)
        return deployments.register(uri)
      },
      list: () => {
        looks[index]! += 1
        return deployments.list()
      },
    }
    await startKeeping(watched, url)
  }
  await dispatcher().poke('exe_1', 'start')
  await vi.waitUntil(() => seen.length > 0 && looks.every((count) => count >= 40))
  expect(seen).toEqual(['1 exe_1'])
  expect((await deployments.list()).map(({ uri }) => uri)).toEqual([registered[1]])
  expect(registered).toHaveLength(2)
})

it('takes over from a newer worker that is gone, although nobody has removed this one', async () => {
  const deployments = createRestateDeployments([node.adminUrl])
  const seen: string[] = []
  const { url } = await startWorker({ visit: noting('stays', seen) })
  await startKeeping(deployments, url)
  const newer = await startWorker({ visit: (id) => new Promise(() => seen.push(`newer ${id}`)) })
  await deployments.register(newer.url)
  await dispatcher().poke('exe_1', 'start')
  await vi.waitUntil(() => seen.length === 1)
  await newer.endpoint.stop(0)
  for (const id of ['exe_1', 'exe_2']) await dispatcher().poke(id, 'sweep')
  await vi.waitUntil(() => seen.length === 3)
  expect(seen.toSorted()).toEqual(['newer exe_1', 'stays exe_1', 'stays exe_2'])
})

it('takes over from a newer worker that Restate does not reach any more, although this one does', async () => {
  const deployments = createRestateDeployments([node.adminUrl])
  const seen: string[] = []
  const { url } = await startWorker({ visit: noting('stays', seen) })
  await startKeeping(deployments, url)
  let isCut = false
  const newer = await startHiddenWorker({ visit: noting('newer', seen) }, (path) => isCut && !isAskedByWorkers(path))
  await deployments.register(newer)
  isCut = true
  expect(await deployments.cannotReach(newer)).toBe(true)
  expect(await deployments.cannotReach(url)).toBe(false)
  await dispatcher().poke('exe_1', 'start')
  await vi.waitUntil(() => seen.length === 1)
  expect(seen).toEqual(['stays exe_1'])
})

it('abandons what is unfinished at an address that is gone, although newer workers replace each other', async () => {
  const deployments = createRestateDeployments([node.adminUrl])
  const seen: string[] = []
  await leaveUnfinished(deployments, seen)

  const { url } = await startWorker({ visit: noting('old', seen) })
  await startKeeping(deployments, url)
  await dispatcher().poke('exe_1', 'sweep')
  // None of them lives long enough to find that the address is silent.
  let last = 0
  await vi.waitUntil(
    async () => {
      await startRegistered({ visit: noting(`newer ${(last += 1)}`, seen) })
      return seen.length > 1
    },
    { interval: 50 },
  )
  expect(seen[1]).toMatch(/^newer \d+ exe_1$/)
})

it('is registered again when the worker that replaced it is gone', async () => {
  const deployments = createRestateDeployments([node.adminUrl])
  const seen: string[] = []
  const { url } = await startWorker({ visit: noting('stays', seen) })
  let replaced = 0
  await startKeeping(deployments, url, () => (replaced += 1))
  const other = await startWorker({ visit: noting('came back', seen) })
  await vi.waitFor(async () => {
    await deployments.retireOthers(await deployments.register(other.url))
    expect((await deployments.list()).map(({ uri }) => new URL(uri).port)).toEqual([new URL(other.url).port])
  })
  await dispatcher().poke('exe_1', 'start')
  await vi.waitUntil(() => seen.includes('came back exe_1') && replaced > 0)

  await other.endpoint.stop(0)
  await dispatcher().poke('exe_1', 'event')
  await vi.waitUntil(() => seen.includes('stays exe_1'))
})

it('remains registered when another worker at its address has registered it again', async () => {
  const deployments = createRestateDeployments([node.adminUrl])
  const looks: boolean[] = []
  const retireOthers: RestateDeployments['retireOthers'] = async (id) => {
    const left = await deployments.retireOthers(id)
    looks.push(left !== undefined)
    return left
  }
  const { url } = await startWorker({})
  const registered = keepRegistered({ ...deployments, retireOthers }, url, {
    isAlone: false,
    newerOf,
    log,
    lookEveryMs: 500,
  })
  onTestFinished(() => registered.stop())
  await registered.first
  const [before] = await deployments.list()
  // As after Restate has lost its data, where the other worker looks first.
  await vi.waitFor(() => deployments.abandonOthers('none'))
  expect(await deployments.register(url)).not.toBe(before?.id)
  looks.length = 0
  await vi.waitUntil(() => looks.length > 2)
  // The first of these may have begun before.
  expect(looks.slice(1)).not.toContain(false)
})

it('asks the next node where one is away or broken, and does not repeat what a node refuses', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(503).end('not now')
  })
  const broken = await listening(server)
  const deployments = createRestateDeployments(['http://127.0.0.1:9', broken, node.adminUrl])
  const { url } = await startWorker({})
  const id = await deployments.register(url)
  expect(asked).toEqual(['POST /deployments'])
  expect((await deployments.list()).map((one) => one.id)).toContain(id)
  expect(asked).toHaveLength(1)

  const onlyBroken = createRestateDeployments([broken, broken])
  await expect(onlyBroken.list()).rejects.toThrow('Restate answered 503 to GET /deployments: not now')
  expect(asked).toHaveLength(3)
  await expect(deployments.register('http://127.0.0.1:9/nobody')).rejects.toThrow(/Restate answered [45]\d\d/)
})

it('is told within a second what came while it was away', async () => {
  const away = await startTestRestate()
  const holding = holdWhileAway(createRestateDispatcher([away.ingressUrl]), {
    log,
    workspaceOf: () => Promise.resolve(undefined),
    monotonic: () => performance.now(),
  })
  onTestFinished(holding.stop)
  const seen: string[] = []
  const { url } = await startWorker({ visit: noting('visited', seen) })
  await away.stop()
  const told = ['exe_1', 'exe_2', 'exe_3'].map((id) => holding.poke(id, 'event'))
  await vi.waitUntil(() => holding.isAway)
  const back = await startTestRestate({ instead: away })
  onTestFinished(() => back.stop())
  await createRestateDeployments([back.adminUrl]).register(url)
  await vi.waitUntil(() => seen.length === 3)
  await Promise.all(told)
  expect(seen.toSorted()).toEqual(['visited exe_1', 'visited exe_2', 'visited exe_3'])
})

it('gets each message at another node where one is away and one does not answer, however many are sent at once', async () => {
  const seen: string[] = []
  await startRegistered({ visit: noting('visited', seen) })
  const silent = await listening(createSocketServer(() => {}))
  const cluster = createRestateDispatcher(['http://127.0.0.1:9', silent, node.ingressUrl])
  await Promise.all(Array.from({ length: 9 }, (_, n) => cluster.poke(`exe_${n}`, 'event')))
  await vi.waitFor(() => expect(new Set(seen).size).toBe(9))
})

it('warns once of all handlers that fail while the store cannot be reached, and of each that fails for another reason', async () => {
  const lines: string[] = []
  const warnings = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const failed = new Map<string, number>()
  const fail = (id: string): Error =>
    id === 'exe_other' ? new Error('a bug') : new StoreUnavailableError('PostgreSQL cannot be reached')
  const worker = await startWorker(
    {
      visit: async (id) => {
        const times = (failed.get(id) ?? 0) + 1
        failed.set(id, times)
        if (times <= 3) throw fail(id)
        return { attempts: [] }
      },
    },
    0,
    warnings,
  )
  await createRestateDeployments([node.adminUrl]).register(worker.url)
  const ids = ['exe_1', 'exe_2', 'exe_3', 'exe_other']
  await Promise.all(ids.map((id) => dispatcher().poke(id, 'start')))
  await vi.waitUntil(() => ids.every((id) => failed.get(id) === 4))
  const reasons = lines.map((line) => /(PostgreSQL cannot be reached|a bug)/.exec(line)?.[0])
  expect(reasons.toSorted()).toEqual(['PostgreSQL cannot be reached', 'a bug', 'a bug', 'a bug'])
})

it('warns that a handler does not do again what it did before', async () => {
  const tried = Promise.withResolvers<void>()
  const deliver = async (ctx: ObjectContext): Promise<void> => {
    await ctx.run('another step', () => 1)
    tried.resolve()
    throw new Error('the step was stored')
  }
  const services = [object({ name: 'Execution', handlers: { deliver } })]
  const server = createHttp2Server(createEndpointHandler({ services, logger: () => {} }))
  const sessions = new Set<{ destroy(): void }>()
  server.on('session', (session) => sessions.add(session))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await createRestateDeployments([node.adminUrl]).register(`http://127.0.0.1:${port}/v2`)
  await dispatcher().poke('exe_mismatch', 'start')
  await tried.promise
  const closed = new Promise((resolve) => server.close(resolve))
  for (const session of sessions) session.destroy()
  await closed
  const lines: string[] = []
  await startWorker({}, port, pino({ level: 'warn' }, { write: (line) => void lines.push(line) }))
  await vi.waitFor(() => expect(lines.join('')).toContain('name: another step != visit'))
})
