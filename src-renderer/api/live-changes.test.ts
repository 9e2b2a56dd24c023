import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ChangesOptions, ChangeMessage } from '#sdk/index.ts'
import { createLiveChanges } from './live-changes.ts'
import type { Scope } from './scope.ts'

const T0 = Date.parse('2026-11-20T12:00:00.000Z')
const HOUR = 3_600_000

beforeEach(() => void vi.useFakeTimers({ now: T0 }))
afterEach(() => void vi.useRealTimers())

/** A service that answers while `isThere`. */
const rig = () => {
  const service = { isThere: true, lose: () => {} }
  const streamChanges = async function* ({ signal, onOpen, onLost }: ChangesOptions): AsyncGenerator<ChangeMessage> {
    if (!service.isThere) return onLost?.(new Error('no answer'))
    onOpen?.()
    service.lose = () => onLost?.(new Error('the connection broke'))
    await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    yield* []
  }
  const live = createLiveChanges({ connection: {}, client: { streamChanges } } as unknown as Scope)
  return { live, service, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
}

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
