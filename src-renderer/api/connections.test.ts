import { QueryClient } from '@tanstack/react-query'
import { expect, it, onTestFinished } from 'vitest'
import { followOtherPages } from './connections.ts'
import { accessTo } from './other-access.ts'

it('forgets what was read of a connection, and sends nothing more of it, once another page has given it another token', async () => {
  const queries = new QueryClient()
  const otherPage = new BroadcastChannel('wes-connections')
  const unfollow = followOtherPages(queries)
  onTestFinished(() => {
    unfollow()
    otherPage.close()
  })
  for (const id of ['one', 'two']) queries.setQueryData([id, null, 'programs'], [])
  const before = accessTo('one')
  otherPage.postMessage('one')
  await expect.poll(() => queries.getQueryData(['one', null, 'programs'])).toBeUndefined()
  await expect(before(() => Promise.resolve('sent'))).rejects.toThrow('another access')
  expect(queries.getQueryData(['two', null, 'programs'])).toEqual([])
})
