import { expect, it, vi } from 'vitest'
import type { ActPorts } from '../../src-runtime/operations/act-on-one.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { workOnBulks } from './work-on-bulks.ts'

const executionIds = ['exe_1', 'exe_2']

const workWith = async (error: Error) => {
  const [settle, onError] = [vi.fn(() => Promise.resolve()), vi.fn()]
  const taken = {
    workspaceId: 'wsp_1',
    bulkId: 'blk_1',
    action: 'cancel',
    projectId: undefined,
    firstNumber: 0,
  } as const
  const find = (id: string) => (id === 'exe_1' ? Promise.reject(error) : Promise.resolve(undefined))
  const ports = { store: { executions: { find } } } as unknown as ActPorts
  const bulkWork = { take: () => Promise.resolve({ ...taken, executionIds }), settle }
  const worked = await workOnBulks(bulkWork, () => Promise.resolve(ports), onError).catch((failure: unknown) => failure)
  return { worked, settled: settle.mock.calls.flat().slice(1), reported: onError.mock.calls.flat() }
}

it('counts an item with a fault as failed, so that its bulk ends', async () => {
  const fault = new TypeError('a fault')
  expect(await workWith(fault)).toEqual({ worked: true, settled: [{ done: 0, failed: 2 }], reported: [fault] })
})

it('leaves items for later while the store cannot be reached', async () => {
  const away = new StoreUnavailableError('away')
  expect(await workWith(away)).toEqual({ worked: away, settled: [], reported: [] })
})
