import { environmentManager, QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { type Bulk, ServiceRuntimeError } from '#sdk/index.ts'
import { bulkQuery } from './executions-query.ts'
import type { Scope } from './scope.ts'

// Without a window, nothing is asked for again.
beforeAll(() => environmentManager.setIsServer(() => false))
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const RUNNING: Bulk = { id: 'b', action: 'cancel', status: 'running', matched: 3, done: 1, failed: 0 }
const refusal = (status: number, code: string) => new ServiceRuntimeError({ status, code, message: code })

/** Follows a bulk action that is running. */
const follow = async () => {
  const getBulk = vi.fn<() => Promise<Bulk>>().mockResolvedValue(RUNNING)
  const until = () => ({ anyProject: { getBulk } })
  const scope = { connection: { id: 'local' }, projectId: null, until } as unknown as Scope
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const observer = new QueryObserver(queries, bulkQuery(scope, 'b'))
  onTestFinished(observer.subscribe(() => {}))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(observer.getCurrentResult().data).toEqual(RUNNING)
  return { getBulk, observer }
}

it('does not ask again for a bulk action that the service no longer knows', async () => {
  const { getBulk, observer } = await follow()
  getBulk.mockRejectedValue(refusal(404, 'bulk_not_found'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(observer.getCurrentResult().error).toMatchObject({ code: 'bulk_not_found' })
  getBulk.mockClear()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(getBulk).not.toHaveBeenCalled()
})

it('follows a bulk action on while the service does not answer', async () => {
  const { getBulk, observer } = await follow()
  getBulk.mockRejectedValue(refusal(503, 'unavailable'))
  await vi.advanceTimersByTimeAsync(5_000)
  getBulk.mockResolvedValue({ ...RUNNING, status: 'done' })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(observer.getCurrentResult().data?.status).toBe('done')
})
