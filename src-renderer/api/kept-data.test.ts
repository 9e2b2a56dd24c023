import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import type { Connection } from './connection.ts'
import { keptData } from './kept-data.ts'
import { queryKey } from './query-keys.ts'

const connection = (id: string): Connection => ({
  id,
  kind: 'hosted',
  name: id,
  basePath: `/hosted/${id}`,
  defaultProjectId: 'default',
  colour: 'violet',
  isProduction: false,
  address: undefined,
  workspace: undefined,
})

it('keeps the data of another filter, and none of another connection or project', async () => {
  const client = new QueryClient()
  const options = (connectionId: string, projectId: string | null, filter: string, queryFn: () => Promise<string>) => {
    const place = { connection: connection(connectionId), projectId }
    return { queryKey: queryKey(place, 'counts', filter), queryFn, placeholderData: keptData(place) }
  }
  const never = () => new Promise<string>(() => {})
  const observer = new QueryObserver(
    client,
    options('staging', null, 'all', () => Promise.resolve('of staging')),
  )
  const stop = observer.subscribe(() => {})
  await expect.poll(() => observer.getCurrentResult().data).toBe('of staging')
  const shownWith = (...[connectionId, projectId, filter]: readonly [string, string | null, string]) => {
    observer.setOptions(options(connectionId, projectId, filter, never))
    return observer.getCurrentResult().data
  }
  expect(shownWith('staging', null, 'failed')).toBe('of staging')
  expect(shownWith('staging', 'prj_1', 'failed')).toBeUndefined()
  expect(shownWith('production', null, 'all')).toBeUndefined()
  stop()
  client.clear()
})
