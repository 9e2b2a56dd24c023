import { expect, it, onTestFinished, vi } from 'vitest'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import type { ActPorts } from '../../src-runtime/operations/act-on-one.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { createWorkOnBulks } from './work-on-bulks.ts'

const executionIds = ['exe_1', 'exe_2']

const TAKEN = { workspaceId: 'wsp_1', bulkId: 'blk_1', projectId: undefined, firstNumber: 0, executionIds } as const

const portsWith = (executions: unknown): ActPorts => ({ store: { executions } }) as unknown as ActPorts

const extend = () => Promise.resolve()

const work = (deps: Parameters<typeof createWorkOnBulks>[0], isStopped = false) =>
  createWorkOnBulks(deps)[0]!(() => isStopped)

const workWith = async (error: Error, isStopped = false) => {
  const [settle, onError] = [vi.fn(() => Promise.resolve()), vi.fn()]
  const find = (id: string) => (id === 'exe_1' ? Promise.reject(error) : Promise.resolve(undefined))
  const taken = { ...TAKEN, action: 'cancel' as const }
  const bulkWork = { take: () => Promise.resolve(taken), extend, settle, delete: () => expect.fail() }
  const portsOf = () => Promise.resolve(portsWith({ find }))
  const worked = await work({ bulkWork, portsOf, onError }, isStopped).catch((failure: unknown) => failure)
  return { worked, settled: settle.mock.calls.flat().slice(1), reported: onError.mock.calls.flat() }
}

it('counts an item with a fault as failed, so that its bulk ends', async () => {
  const fault = new TypeError('a fault')
  expect(await workWith(fault)).toEqual({ worked: true, settled: [{ done: 0, failed: 2 }], reported: [fault] })
})

it('leaves items for the next turn from the first on for which too much was under way, so that other workspaces have theirs', async () => {
  const busy = new ApiError('rate_limited', 'too much')
  const find = (id: string) => (id === 'exe_2' ? Promise.reject(busy) : Promise.resolve(undefined))
  const taken = { ...TAKEN, action: 'cancel' as const, executionIds: ['exe_1', 'exe_2', 'exe_3'] }
  const settle = vi.fn(() => Promise.resolve())
  const bulkWork = { take: () => Promise.resolve(taken), extend, settle, delete: () => expect.fail() }
  const portsOf = () => Promise.resolve(portsWith({ find }))
  expect(await work({ bulkWork, portsOf, onError: () => expect.fail() })).toBe(true)
  expect(settle.mock.calls).toEqual([[taken, { done: 0, failed: 1 }]])
  expect(await workWith(busy)).toEqual({ worked: true, settled: [{ done: 0, failed: 0 }], reported: [] })
})

it('leaves items for later when the process stops while the store cannot be reached', async () => {
  const away = new StoreUnavailableError('away')
  expect(await workWith(away, true)).toEqual({ worked: away, settled: [], reported: [] })
})

it('deletes items again when the store could not be reached for a while', async () => {
  const remove = vi.fn(() => Promise.resolve()).mockRejectedValueOnce(new StoreUnavailableError('away'))
  const taken = { ...TAKEN, action: 'delete' as const }
  const bulkWork = { take: () => Promise.resolve(taken), extend, settle: () => expect.fail(), delete: remove }
  const onError = () => expect.fail()
  const portsOf = () => expect.fail()
  expect(await work({ bulkWork, portsOf, onError })).toBe(true)
  expect(remove.mock.calls).toEqual([
    [taken, onError],
    [taken, onError],
  ])
})

it('keeps items for as long as it works on them, and no longer', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const taken = { ...TAKEN, action: 'cancel' as const }
  const leases: number[] = []
  const take = vi.fn(async ({ leaseMs }: { readonly leaseMs: number }) => {
    leases.push(Date.now() + leaseMs)
    return taken
  })
  const extended = vi.fn(async (_taken: object, leaseMs: number) => {
    // Nobody else has taken them.
    expect(leases.at(-1)).toBeGreaterThan(Date.now())
    leases.push(Date.now() + leaseMs)
  })
  const found = Promise.withResolvers<undefined>()
  const bulkWork = { take, extend: extended, settle: vi.fn(async () => {}), delete: () => expect.fail() }
  const portsOf = () => Promise.resolve(portsWith({ find: () => found.promise }))
  const worked = work({ bulkWork, portsOf, onError: () => {} })
  await vi.advanceTimersByTimeAsync(120_000)
  expect(leases.at(-1)).toBeGreaterThan(Date.now())
  // What dies now is missed within the time in which everything goes on.
  expect(leases.at(-1)).toBeLessThan(Date.now() + 20_000)
  found.resolve(undefined)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await worked).toBe(true)
  const before = leases.length
  await vi.advanceTimersByTimeAsync(60_000)
  expect(leases.length).toBe(before)
})

it('works on bulks of other workspaces while the items of one take long', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const found = Promise.withResolvers<undefined>()
  const taken = (workspaceId: string) => ({
    ...TAKEN,
    workspaceId,
    bulkId: `blk_of_${workspaceId}`,
    action: 'cancel' as const,
  })
  const take = ({ busy }: { readonly busy: readonly string[] }) =>
    Promise.resolve(['wsp_slow', 'wsp_quick'].filter((id) => !busy.includes(id)).map(taken)[0])
  const settle = vi.fn((_taken: { readonly workspaceId: string }) => Promise.resolve())
  const bulkWork = { take, extend, settle, delete: () => expect.fail() }
  const portsOf = (workspaceId: string) =>
    Promise.resolve(portsWith({ find: async () => (workspaceId === 'wsp_slow' ? found.promise : undefined) }))
  const [first, second, third] = createWorkOnBulks({ bulkWork, portsOf, onError: () => expect.fail() })
  const isStopped = () => false
  const slow = first!(isStopped)
  expect(await second!(isStopped)).toBe(false)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await second!(isStopped)).toBe(true)
  expect(await third!(isStopped)).toBe(false)
  expect(settle.mock.calls.map(([{ workspaceId }]) => workspaceId)).toEqual(['wsp_quick'])
  found.resolve(undefined)
  expect(await slow).toBe(true)
  expect(await second!(isStopped)).toBe(false)
})
