import { expect, it, vi } from 'vitest'
import { createChangeReaders } from './change-readers.ts'
import { createChangesFeed } from './create-changes-feed.ts'

it('sends nothing twice to a reader that comes while earlier changes wait to be sent to many others', async () => {
  const feed = createChangesFeed({ epoch: 'e' })
  const readers = createChangeReaders(feed)
  const join = () => {
    const heard: string[] = []
    const write = (text: string | Uint8Array) => void heard.push(text.toString())
    const sink = { isReady: () => true, write, onDrained: () => {}, end: () => {} }
    readers.add({ sink, projectId: undefined, after: feed.latest() })
    return heard
  }
  const many = Array.from({ length: 100 }, join)
  feed.publish([{ kind: 'source' }])
  const late = join()
  feed.publish([{ kind: 'source' }])
  await vi.waitFor(() => expect(late.join('')).toContain('id: e:2'))
  expect(late.join('')).not.toContain('id: e:1')
  await vi.waitFor(() => expect(many.at(-1)!.join('')).toMatch(/id: e:1[^]*id: e:2/))
})
