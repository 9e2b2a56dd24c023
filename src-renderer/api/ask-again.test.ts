import { MutationObserver, QueryClient, type QueryKey, QueryObserver } from '@tanstack/react-query'
import { expect, onTestFinished, test } from 'vitest'
import { ServiceRuntimeError } from '#sdk/index.ts'
import { askAgain, askEverythingAgain, askEvery, readAgain, readEverythingAgain } from './ask-again.ts'
import { deletionKey } from './query-keys.ts'

/** A query on screen whose first request is under way. */
const underWay = (queryKey: QueryKey = ['programs']) => {
  const queries = new QueryClient({ defaultOptions: { queries: { networkMode: 'always', retry: false } } })
  const requests: PromiseWithResolvers<string>[] = []
  const observer = new QueryObserver(queries, {
    queryKey,
    queryFn: () => {
      const request = Promise.withResolvers<string>()
      requests.push(request)
      return request.promise
    },
  })
  onTestFinished(observer.subscribe(() => {}))
  const data = () => observer.getCurrentResult().data
  return { queries, requests, data }
}

test('a request that gets no answer does not hold up the next try', async () => {
  const { queries, requests, data } = underWay()
  const again = askAgain(queries, ['programs'])
  await expect.poll(() => requests.length).toBe(2)
  requests[1]!.resolve('answer')
  await again
  expect(data()).toBe('answer')
})

test('a request that was sent too early is sent again once it has failed', async () => {
  const { queries, requests, data } = underWay()
  askEverythingAgain(queries)
  expect(requests).toHaveLength(1) // a slow service may still answer it
  requests[0]!.reject(new Error('too early'))
  await expect.poll(() => requests.length).toBe(2)
  requests[1]!.resolve('answer')
  await expect.poll(data).toBe('answer')
})

test('a request that was answered, perhaps before something changed, is sent once more', async () => {
  const { queries, requests, data } = underWay()
  askEverythingAgain(queries)
  requests[0]!.resolve('early answer')
  await expect.poll(() => requests.length).toBe(2)
  expect(data()).toBe('early answer')
  requests[1]!.resolve('answer')
  await expect.poll(data).toBe('answer')
  expect(requests).toHaveLength(2)
})

test('what has an answer is asked again at once, in place of what is under way', async () => {
  const { queries, requests, data } = underWay()
  requests[0]!.resolve('answer')
  await expect.poll(data).toBe('answer')
  askEverythingAgain(queries)
  askEverythingAgain(queries)
  await expect.poll(() => requests.length).toBe(3)
  requests[2]!.resolve('newest answer')
  await expect.poll(data).toBe('newest answer')
})

test('a change while the first answer is under way is not lost', async () => {
  const { queries, requests, data } = underWay()
  const read = readAgain(queries, queries.getQueryCache().find({ queryKey: ['programs'] })!)
  requests[0]!.resolve('no Execution')
  await expect.poll(() => requests.length).toBe(2)
  requests[1]!.resolve('one Execution')
  await read
  expect(data()).toBe('one Execution')
})

test('reading everything again and again leaves a slow service the time to answer', async () => {
  const { queries, requests, data } = underWay()
  requests[0]!.resolve('answer')
  await expect.poll(data).toBe('answer')
  for (let time = 0; time < 3; time++) readEverythingAgain(queries)
  expect(requests).toHaveLength(2)
  requests[1]!.resolve('newer answer')
  await expect.poll(data).toBe('newer answer')
})

test('an Execution is not read again while this page deletes it and after that, but is when that fails', async () => {
  const queryKey = ['local', 'any', 'execution', 'exe_1']
  const { queries, requests, data } = underWay(queryKey)
  const query = queries.getQueryCache().find({ queryKey })!
  const askInEachWay = async () => {
    askEverythingAgain(queries)
    readEverythingAgain(queries)
    await readAgain(queries, query)
  }
  const deletion = (mutationFn: () => Promise<void>) =>
    new MutationObserver(queries, { mutationKey: deletionKey('exe_1'), mutationFn }).mutate()
  requests[0]!.resolve('answer')
  await expect.poll(data).toBe('answer')

  await deletion(() => Promise.reject(new Error('the store is full'))).catch(() => {})
  askEverythingAgain(queries)
  expect(requests).toHaveLength(2)
  requests[1]!.resolve('newer answer')
  await expect.poll(data).toBe('newer answer')

  const answered = Promise.withResolvers<void>()
  const deleting = deletion(() => answered.promise)
  await askInEachWay()
  answered.resolve()
  await deleting
  await askInEachWay()
  expect(requests).toHaveLength(2)
})

test('what got no answer is read soon again until there is one, and what was refused is not', () => {
  const error = (status: number, code: string) => new ServiceRuntimeError({ status, code, message: code })
  const queries = new QueryClient()
  const every = (everyMs: number | false, failure: Error | null, data?: unknown) => {
    const query = queries.getQueryCache().build(queries, { queryKey: [failure?.message, data] })
    query.setState({ error: failure, data })
    return askEvery(everyMs)(query)
  }
  expect(every(false, error(0, 'network_error'))).toBe(5_000)
  expect(every(60_000, error(503, 'unavailable'))).toBe(5_000)
  expect(every(60_000, error(0, 'network_error'), 'data')).toBe(60_000)
  expect(every(60_000, null)).toBe(60_000)
  expect([error(404, 'program_not_found'), error(403, 'forbidden')].map((one) => every(false, one))).toEqual([
    false,
    false,
  ])
})
