import { expect, it, vi } from 'vitest'
import type { ActPorts } from '../../src-runtime/operations/act-on-one.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { workOnBulks } from './work-on-bulks.ts'

const executionIds = ['exe_1', 'exe_2']

const TAKEN = { workspaceId: 'wsp_1', bulkId: 'blk_1', projectId: undefined, firstNumber: 0, executionIds } as const

const portsWith = (executions: unknown): ActPorts => ({ store: { executions } }) as unknown as ActPorts

const workWith = async (error: Error, isStopped = false) => {
  const [settle, onError] = [vi.fn(() => Promise.resolve()), vi.fn()]
  const find = (id: string) => (id === 'exe_1' ? Promise.reject(error) : Promise.resolve(undefined))
  const bulkWork = { take: () => Promise.resolve({ ...TAKEN, action: 'cancel' as const }), settle }
  const portsOf = () => Promise.resolve(portsWith({ find }))
  const worked = await workOnBulks(bulkWork, portsOf, onError, () => isStopped).catch((failure: unknown) => failure)
  return { worked, settled: settle.mock.calls.flat().slice(1), reported: onError.mock.calls.flat() }
}

it('counts an item with a fault as failed, so that its bulk ends', async () => {
  const fault = new TypeError('a fault')
  expect(await workWith(fault)).toEqual({ worked: true, settled: [{ done: 0, failed: 2 }], reported: [fault] })
})

it('leaves items for later when the process stops while the store cannot be reached', async () => {
  const away = new StoreUnavailableError('away')
  expect(await workWith(away, true)).toEqual({ worked: away, settled: [], reported: [] })
})

it('counts as done what it had deleted when the store could not be reached for a while', async () => {
  const away = new StoreUnavailableError('away')
  const left = new Map([...executionIds, 'exe_3'].map((id, key) => [id, key]))
  const lost = { answers: 1, reads: 1, settles: 1 }
  const awayOnce = (what: keyof typeof lost): void => {
    lost[what] -= 1
    if (lost[what] >= 0) throw away
  }
  const executions = {
    find: async (id: string) => {
      if (id === 'exe_2') awayOnce('reads')
      return left.has(id) ? { id, key: left.get(id) } : undefined
    },
    delete: async (key: number) => {
      left.delete(executionIds[key]!)
      if (key === 0) awayOnce('answers')
      return { kind: 'deleted' }
    },
  }
  const settle = vi.fn(async () => awayOnce('settles'))
  const taken = { ...TAKEN, action: 'delete' as const, executionIds: [...executionIds, 'exe_unknown'] }
  const bulkWork = { take: () => Promise.resolve(taken), settle }
  const portsOf = () => Promise.resolve(portsWith(executions))
  expect(
    await workOnBulks(
      bulkWork,
      portsOf,
      () => {},
      () => false,
    ),
  ).toBe(true)
  expect(settle.mock.lastCall).toEqual([taken, { done: 2, failed: 1 }])
  expect([...left.keys()]).toEqual(['exe_3'])
})
