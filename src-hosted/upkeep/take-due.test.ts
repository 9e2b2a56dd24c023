import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { DueTimer, EngineStore } from '../store/store.ts'
import { startTakingDue } from './take-due.ts'

const OTHER = 2

/** A store with timers of two workspaces. `visits` are under way: `end` or `fail` one. `sizeOf`: how many of one are a share. */
const rigOf = (stored: DueTimer[], sizeOf?: number) => {
  const visits = new Map<string, PromiseWithResolvers<void>>()
  const left: string[] = []
  const queries: Parameters<EngineStore['dueTimers']>[0][] = []
  const dueTimers: EngineStore['dueTimers'] = async (query) => {
    queries.push(query)
    const { aheadMs, limit, limitOfOne, busy } = query
    const size = sizeOf ?? limitOfOne
    const timers: DueTimer[] = []
    for (const timer of stored.filter(({ dueAt }) => dueAt < performance.now() + aheadMs)) {
      const { workspace } = timer
      const ofIt = timers.filter((one) => one.workspace === workspace).length
      if (busy.includes(workspace) || ofIt === size || timers.length === limit) continue
      timers.push(timer)
      stored.splice(stored.indexOf(timer), 1)
    }
    return { due: timers, isMore: timers.filter(({ workspace }) => workspace !== OTHER).length === size }
  }
  const { stop } = startTakingDue({
    name: 'timers',
    sizes: { most: 256, mostOfOne: 32, aheadMs: 1_000 },
    claim: dueTimers,
    now: () => performance.now(),
    act: ({ executionId }) => {
      const visit = Promise.withResolvers<void>()
      visits.set(executionId, visit)
      return visit.promise
    },
    leave: async ({ executionId }) => void left.push(executionId),
    log: pino({ level: 'silent' }),
  })
  const end = (id: string): void => {
    visits.get(id)!.resolve()
    visits.delete(id)
  }
  const fail = (id: string): void => {
    visits.get(id)!.reject(new Error('it cannot be visited'))
    visits.delete(id)
  }
  onTestFinished(() => {
    for (const id of visits.keys()) end(id)
    return stop()
  })
  return { visits, left, queries, end, fail, stop }
}

const many = (count: number, dueAt = 0): DueTimer[] =>
  Array.from({ length: count }, (_, n) => ({ executionId: `exe_${n}`, workspace: 1, dueAt }))

it('visits few of one workspace at once, and another one at once', async () => {
  const stored = many(100)
  const { visits, queries, end } = rigOf(stored)
  await vi.waitUntil(() => visits.size === 32)
  stored.push({ executionId: 'exe_other', workspace: OTHER, dueAt: 0 })
  await vi.waitUntil(() => visits.has('exe_other'))
  expect(visits.size).toBe(33)
  const asked = queries.length
  for (let n = 0; n < 16; n += 1) end(`exe_${n}`)
  await vi.waitUntil(() => visits.size === 49)
  // They were claimed together.
  expect(queries.length).toBe(asked + 1)
})

it('does not look again each time that a visit ends, while one workspace is busy', async () => {
  const { visits, queries, end } = rigOf([
    ...many(40),
    ...Array.from({ length: 9 }, (_, n) => ({ executionId: `exe_other_${n}`, workspace: OTHER, dueAt: 0 })),
  ])
  await vi.waitUntil(() => visits.size === 41)
  const asked = queries.length
  for (let n = 0; n < 9; n += 1) {
    end(`exe_other_${n}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
  // One more where half a second has passed meanwhile.
  expect(queries.length - asked).toBeLessThan(3)
})

it('goes on with others when visits fail', async () => {
  const { visits, fail } = rigOf(many(40))
  await vi.waitUntil(() => visits.size === 32)
  for (let n = 0; n < 32; n += 1) fail(`exe_${n}`)
  await vi.waitFor(() =>
    expect([...visits.keys()]).toEqual(
      many(40)
        .slice(32)
        .map(({ executionId }) => executionId),
    ),
  )
})

it('looks again at once where a claim was filled by few Executions', async () => {
  // No look comes because time has passed.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { visits, queries } = rigOf(many(17), 1)
  while (visits.size < 17) await new Promise((resolve) => setImmediate(resolve))
  expect(queries.length).toBeGreaterThanOrEqual(17)
})

it('visits a timer when it is due, and not before', async () => {
  const dueAt = performance.now() + 300
  const { visits } = rigOf(many(1, dueAt))
  await vi.waitUntil(() => visits.size === 1, { interval: 5 })
  expect(performance.now() - dueAt).toBeGreaterThan(-2)
})

it('leaves what is not due yet when it stops, and waits for what it has begun', async () => {
  const { visits, left, end, stop } = rigOf([
    { executionId: 'exe_begun', workspace: 1, dueAt: 0 },
    { executionId: 'exe_later', workspace: 1, dueAt: performance.now() + 990 },
  ])
  await vi.waitUntil(() => visits.has('exe_begun'))
  let hasStopped = false
  const stopped = stop().then(() => (hasStopped = true))
  await vi.waitUntil(() => left.length > 0)
  expect([left, hasStopped]).toEqual([['exe_later'], false])
  end('exe_begun')
  await stopped
})
