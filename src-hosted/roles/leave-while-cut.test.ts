import { createServer, type Server } from 'node:net'
import { once } from 'node:events'
import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { within } from '../../src-runtime/shared/within.ts'
import { startRestateEndpoint } from '../dispatch/restate-endpoint.ts'
import { askWorker } from '../dispatch/worker-answers.ts'
import { leaveWhileCut } from './leave-while-cut.ts'

const LIMITS = { connectMs: 60_000, answerMs: 60_000 }

const start = async () => {
  const lines: string[] = []
  const log = pino({ level: 'info', base: null }, { write: (line) => void lines.push(String(JSON.parse(line).msg)) })
  const endpoint = await startRestateEndpoint({
    host: '127.0.0.1',
    port: 0,
    work: { visit: async () => ({ attempts: [] }), perform: async () => ({ kind: 'nothing' }) },
    identityKeys: [],
    log,
  })
  onTestFinished(() => endpoint.stop(0))
  const state = { isCut: false, answered: 0, looks: 0 }
  const connections = () => {
    state.looks += 1
    if (!state.isCut) state.answered += 1
    return [{ pool: 'worker', open: 1, idle: 0, waiting: 0, answered: state.answered }]
  }
  const watch = leaveWhileCut(endpoint, { store: { connections }, log }, 1)
  onTestFinished(() => watch.stop())
  const severalLooks = async (count: number): Promise<void> => {
    const before = state.looks
    await vi.waitUntil(() => state.looks >= before + count)
  }
  return { state, lines, endpoint, severalLooks, ask: () => askWorker(`http://127.0.0.1:${endpoint.port}`, LIMITS) }
}

it('a worker that PostgreSQL does not answer closes its port, and opens it when PostgreSQL answers again', async () => {
  const { state, lines, endpoint, severalLooks, ask } = await start()
  await severalLooks(10)
  expect(await ask()).toBe('answer')
  state.isCut = true
  await vi.waitUntil(() => endpoint.isAway)
  await severalLooks(10)
  expect(await ask()).toBe('nobody')
  state.isCut = false
  await vi.waitUntil(() => !endpoint.isAway)
  await severalLooks(10)
  expect(await ask()).toBe('answer')
  expect(lines).toEqual([
    'PostgreSQL does not answer; this worker takes no work until it does, and others may take over what it has begun',
    'PostgreSQL answers again; this worker takes work',
  ])
})

it('says once that another process has its port meanwhile, and opens it later', async () => {
  const { state, lines, endpoint, severalLooks, ask } = await start()
  state.isCut = true
  await vi.waitUntil(() => endpoint.isAway)
  const other: Server = createServer()
  onTestFinished(() => void other.close())
  await vi.waitUntil(() => lines.length > 0)
  await once(other.listen(endpoint.port, '127.0.0.1'), 'listening')
  state.isCut = false
  await severalLooks(20)
  expect(endpoint.isAway).toBe(true)
  await new Promise((resolve) => other.close(resolve))
  await vi.waitUntil(() => !endpoint.isAway)
  expect(await ask()).toBe('answer')
  expect(lines.filter((line) => line.includes('cannot open its port'))).toHaveLength(1)
})

it('a worker that is away stops', async () => {
  const { state, endpoint } = await start()
  state.isCut = true
  await vi.waitUntil(() => endpoint.isAway)
  const stopped = endpoint.stop(60_000).then(() => true)
  expect(await within(30_000, stopped)).toBe(true)
})
