import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, it, onTestFinished } from 'vitest'
import { ServiceRuntimeError } from '#sdk/index.ts'
import { readEverythingAgain } from './ask-again.ts'
import { runsAgainQuery } from './runs-again-query.ts'
import type { Scope } from './scope.ts'

it('a service that cannot find what was run again is not asked with each change', async () => {
  const codes = ['unavailable', 'invalid_response']
  const listExecutions = () => {
    const code = codes.shift()!
    return Promise.reject(new ServiceRuntimeError({ status: 200, code, message: code }))
  }
  const scope = { connection: { id: 'old' }, projectId: null, until: () => ({ client: { listExecutions } }) }
  const queries = new QueryClient({ defaultOptions: { queries: { networkMode: 'always', retry: false } } })
  const observer = new QueryObserver(queries, runsAgainQuery(scope as unknown as Scope, ['exe_1'], null))
  onTestFinished(observer.subscribe(() => {}))
  const isIdle = () => queries.isFetching() === 0
  for (const left of [1, 0, 0]) {
    await expect.poll(isIdle).toBe(true)
    expect(codes).toHaveLength(left)
    readEverythingAgain(queries)
  }
  expect(queries.isFetching()).toBe(0)
})
