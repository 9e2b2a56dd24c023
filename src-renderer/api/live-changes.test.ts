import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type ChangesOptions, type ChangeMessage, ServiceRuntimeError } from '#sdk/index.ts'
import { createLiveChanges, type LiveBatch } from './live-changes.ts'
import type { Scope } from './scope.ts'
import { hearServiceTime } from './service-clock.ts'

const T0 = Date.parse('2026-11-20T12:00:00.000Z')
const HOUR = 3_600_000

beforeEach(() => {
  vi.useFakeTimers({ now: T0 })
  // Its own timers would be real ones.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), ms)
    return controller.signal
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const notFound = () => new ServiceRuntimeError({ status: 404, code: 'not_found', message: '404 page not found' })
const noAnswer = () => new ServiceRuntimeError({ status: 0, code: 'network_error', message: 'no answer' })

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', resolve))

/** A service that answers while `isThere`, and has a stream while `hasStream`. */
const rig = (basePath?: string, kind: 'local' | 'hosted' = 'local') => {
  const service = {
    isThere: true,
    asked: 0,
    hasStream: true,
    /** Until then it answers nothing. */
    frozen: undefined as Promise<void> | undefined,
    refusal: undefined as Error | undefined,
    streamsAsked: 0,
    lose: () => {},
    send: (..._messages: readonly ChangeMessage[]) => {},
  }
  const places = { areLeft: true, taken: 0 }
  const takePlace = async () => {
    if (!places.areLeft) return undefined
    places.taken += 1
    return () => void (places.taken -= 1)
  }
  const streamChanges = async function* ({ signal, onOpen, onLost }: ChangesOptions): AsyncGenerator<ChangeMessage> {
    service.streamsAsked += 1
    await Promise.race([service.frozen, aborted(signal!)])
    if (signal!.aborted) return
    if (!service.isThere) return onLost?.(new Error('no answer'))
    if (!service.hasStream) throw notFound()
    onOpen?.()
    service.lose = () => onLost?.(new Error('the connection broke'))
    let arrived = Promise.withResolvers<readonly ChangeMessage[]>()
    service.send = (...messages) => arrived.resolve(messages)
    signal?.addEventListener('abort', () => arrived.resolve([]))
    while (signal?.aborted === false) {
      yield* await arrived.promise
      arrived = Promise.withResolvers()
    }
  }
  const listProjects = async (signal: AbortSignal) => {
    service.asked += 1
    await Promise.race([service.frozen, aborted(signal)])
    if (!service.isThere || signal.aborted) throw noAnswer()
    if (service.refusal !== undefined) throw service.refusal
  }
  const until = (signal: AbortSignal) => ({ anyProject: { listProjects: () => listProjects(signal) } })
  const live = createLiveChanges(
    { connection: { basePath, kind }, client: { streamChanges }, until } as unknown as Scope,
    takePlace,
  )
  const told = vi.fn<(batch: LiveBatch) => void>()
  live.onChanges(told)
  return { live, service, places, told, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
}

const message = (
  kind: 'change' | 'deleted',
  executionId: string,
): Extract<ChangeMessage, { readonly kind: typeof kind }> => ({
  kind,
  id: executionId,
  change: { executionId, programId: 'order', projectId: 'prj_1', status: 'completed', at: '2026-11-20T12:00:00.000Z' },
})

it('tells what comes in a short time in one batch', async () => {
  const { live, service, told, pass } = rig()
  live.start()
  await pass(2_000)
  told.mockClear()
  const [one, other] = [message('change', 'exe_1'), message('deleted', 'exe_2')]
  service.send(one, other, { kind: 'source', id: 'c_3' })
  await pass(40)
  expect([told.mock.calls.length, live.tellsPrograms()]).toEqual([0, true])
  await pass(20)
  const executions = [one.change, { ...other.change, deleted: true }]
  expect(told.mock.calls).toEqual([[{ executions, programs: false, source: true, runtime: false, anything: false }]])
  service.send({ kind: 'runtime', id: 'c_4' })
  await pass(60)
  expect(told.mock.lastCall).toEqual([
    { executions: [], programs: false, source: false, runtime: true, anything: false },
  ])
})

it('tells that anything may have changed after a reset, and nothing of what came before it was stopped', async () => {
  const { live, service, told, pass } = rig()
  live.start()
  await pass(2_000)
  told.mockClear()
  service.send({ kind: 'reset', id: 'c_1' })
  await pass(60)
  expect(told.mock.calls.map(([{ anything }]) => anything)).toEqual(['missed'])
  service.send(message('change', 'exe_1'))
  await pass(10)
  live.stop()
  await pass(1_000)
  expect(told).toHaveBeenCalledTimes(1)
})

it('is up to date until the stream was closed, if the service is gone when it is followed again', async () => {
  const { live, service, pass } = rig()
  live.start()
  await pass(60_000)
  expect([live.liveness(), live.lostAt()]).toEqual(['live', undefined])
  live.stop()
  service.isThere = false
  await pass(HOUR)
  live.start()
  await pass(1)
  expect([live.liveness(), live.lostAt()]).toEqual(['lost', T0 + 60_000])
})

it.each([true, false])(
  'is up to date until it was stopped before its first start (answers then: %s)',
  async (isThere) => {
    const { live, service, told, pass } = rig()
    live.stop()
    service.isThere = isThere
    await pass(HOUR)
    live.start()
    await pass(1)
    expect([live.liveness(), live.lostAt()]).toEqual(isThere ? ['live', undefined] : ['lost', T0])
    expect(told, 'that anything may have changed').toHaveBeenCalledTimes(isThere ? 1 : 0)
  },
)

it('is up to date until a stream is lost, also one that was closed before', async () => {
  const { live, service, pass } = rig()
  live.start()
  await pass(60_000)
  live.stop()
  await pass(HOUR)
  live.start()
  await pass(60_000)
  service.isThere = false
  service.lose()
  await pass(5_000)
  expect([live.liveness(), live.lostAt()]).toEqual(['lost', T0 + HOUR + 120_000])
})

it('is up to date until the last answer, if no stream was ever open', async () => {
  const { live, service, pass } = rig('/no-stream')
  service.isThere = false
  live.start()
  await pass(1)
  expect([live.liveness(), live.lostAt()]).toEqual(['lost', undefined])
  hearServiceTime('/no-stream', new Response(), T0 + 1, T0 + 2)
  expect(live.lostAt()).toBe(T0 + 2)
})

it('is lost soon once the runtime on this machine is frozen, with its stream open, and live when it goes on', async () => {
  const { live, service, pass } = rig()
  live.start()
  await pass(60_000)
  const { promise, resolve: thaw } = Promise.withResolvers<void>()
  service.frozen = promise
  await pass(10_000)
  expect([live.liveness(), live.lostAt()]).toEqual(['lost', T0 + 60_000])
  await pass(60_000)
  expect([live.liveness(), live.lostAt()]).toEqual(['lost', T0 + 60_000])
  thaw()
  await pass(10_000)
  expect([live.liveness(), live.lostAt()]).toEqual(['live', undefined])
})

it.each([
  { hasStream: true, limitMs: 5_000 },
  { hasStream: false, limitMs: 10_000 },
])('is not lost when the machine slept while it asked (stream: $hasStream)', async ({ hasStream, limitMs }) => {
  const { live, service, pass } = rig('/asleep')
  service.hasStream = hasStream
  live.start()
  await pass(1)
  const seen = new Set<string>()
  live.onLiveness(() => seen.add(live.liveness()))
  const { promise, resolve: wake } = Promise.withResolvers<void>()
  service.frozen = promise
  const asked = service.asked
  await pass(3_000)
  expect(service.asked).toBe(asked + 1)
  vi.setSystemTime(Date.now() + HOUR)
  await pass(limitMs)
  wake()
  await pass(1_000)
  expect([...seen]).toEqual([])
  expect(live.liveness()).toBe(hasStream ? 'live' : 'polling')
})

it('asks the runtime no more often after its stream was lost many times, or where it has none', async () => {
  const { live, service, pass } = rig()
  live.start()
  for (let n = 0; n < 10; n += 1) {
    service.lose()
    await pass(1_000)
  }
  service.asked = 0
  await pass(30_000)
  expect(service.asked).toBe(10)
  service.hasStream = false
  service.lose()
  await pass(1_000)
  service.asked = 0
  await pass(24_000)
  expect(service.asked).toBe(8)
  service.hasStream = true
  await pass(60_000)
  expect(live.liveness()).toBe('live')
  live.stop()
  service.asked = 0
  await pass(60_000)
  expect(service.asked).toBe(0)
})

it('asks a hosted service for nothing while it has its stream', async () => {
  const { live, service, pass } = rig('/hosted/current', 'hosted')
  live.start()
  await pass(60_000)
  service.frozen = new Promise(() => {})
  await pass(60_000)
  expect(live.liveness()).toBe('live')
})

it('follows the stream again after a proxy answered that there is none', async () => {
  const { live, service, pass } = rig()
  service.hasStream = false
  live.start()
  await pass(1_000)
  expect(live.liveness()).toBe('polling')
  service.hasStream = true
  await pass(60_000)
  expect(live.liveness()).toBe('live')
})

it('stays at polling where there is no stream, and seldom asks for one', async () => {
  const { live, service, told, pass } = rig()
  service.hasStream = false
  const seen = new Set<string>()
  live.onLiveness(() => seen.add(live.liveness()))
  live.start()
  await pass(10 * 60_000)
  expect([...seen]).toEqual(['polling'])
  expect(told.mock.calls.length).toBeGreaterThan(150)
  expect(service.streamsAsked).toBeLessThan(25)
})

it('is lost while polling once nothing answers, and polls again when the service is back', async () => {
  const { live, service, told, pass } = rig()
  service.hasStream = false
  live.start()
  await pass(60_000)
  service.isThere = false
  await pass(5_000)
  expect(live.liveness()).toBe('lost')
  expect(live.lostAt()).toBeGreaterThan(T0 + 59_000)
  service.isThere = true
  told.mockClear()
  await pass(5_000)
  expect([live.liveness(), live.lostAt()]).toEqual(['polling', undefined])
  expect(told).toHaveBeenCalled()
})

it('polls no more once it is stopped', async () => {
  const { live, service, told, pass } = rig()
  service.hasStream = false
  live.start()
  await pass(10_000)
  live.stop()
  told.mockClear()
  const asked = service.streamsAsked
  await pass(HOUR)
  expect(told).not.toHaveBeenCalled()
  expect(service.streamsAsked).toBe(asked)
})

it('polls while other windows have all places for a stream, and follows one once it has a place, until it is stopped', async () => {
  const { live, service, places, told, pass } = rig()
  places.areLeft = false
  live.start()
  await pass(10_000)
  expect([live.liveness(), service.streamsAsked]).toEqual(['polling', 0])
  expect(told.mock.calls.map(([{ anything }]) => anything)).toEqual(['missed', 'polled', 'polled', 'polled'])
  places.areLeft = true
  await pass(3_000)
  expect([live.liveness(), service.streamsAsked, places.taken]).toEqual(['live', 1, 1])
  live.stop()
  await pass(1)
  expect(places.taken).toBe(0)
  live.start()
  live.stop()
  await pass(1)
  expect([places.taken, service.streamsAsked]).toEqual([0, 1])
})

it.each([true, false])(
  'looks at once when it is followed again without a place (answers then: %s)',
  async (isThere) => {
    const { live, service, places, told, pass } = rig()
    live.start()
    await pass(60_000)
    live.stop()
    places.areLeft = false
    service.isThere = isThere
    await pass(HOUR)
    told.mockClear()
    live.start()
    live.stop()
    live.start()
    await pass(1)
    const lostAt = T0 + 60_000
    expect([live.liveness(), live.lostAt()]).toEqual(isThere ? ['polling', undefined] : ['lost', lostAt])
    expect(told).toHaveBeenCalledTimes(isThere ? 1 : 0)
  },
)

it('is refused without a place too', async () => {
  const { live, service, places, told, pass } = rig()
  places.areLeft = false
  live.start()
  await pass(10_000)
  service.refusal = new ServiceRuntimeError({ status: 401, code: 'session_required', message: 'Sign in.' })
  told.mockClear()
  const seen: string[] = []
  live.onLiveness(() => seen.push(live.liveness()))
  await pass(60_000)
  expect([seen, live.problem()?.message, told.mock.calls.length]).toEqual([['refused'], 'Sign in.', 0])
  service.refusal = undefined
  await pass(5_000)
  expect([live.liveness(), live.problem()]).toEqual(['polling', undefined])
})

it('is lost without a place too, and holds none while nothing answers', async () => {
  const { live, service, places, pass } = rig()
  places.areLeft = false
  live.start()
  await pass(10_000)
  service.isThere = false
  await pass(60_000)
  expect(live.liveness()).toBe('lost')
  service.isThere = true
  await pass(10_000)
  expect([live.liveness(), live.lostAt()]).toEqual(['polling', undefined])
  places.areLeft = true
  service.hasStream = false
  await pass(60_000)
  expect([live.liveness(), places.taken]).toEqual(['polling', 0])
})
