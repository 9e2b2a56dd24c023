import { describe, expect, it } from 'vitest'
import type { ExecutionChange } from '../ports/changes.ts'
import { createChangesFeed } from './create-changes-feed.ts'

const change = (key: number, status: ExecutionChange['status'] = 'running'): ExecutionChange => ({
  key,
  executionId: `exe_${key}`,
  programId: 'p',
  projectId: 'default',
  status,
  at: 1_000 + key,
})

describe('the feed of changes', () => {
  it('numbers changes in commit order and calls every subscriber once per batch', () => {
    const feed = createChangesFeed({ epoch: 'e' })
    const seen: number[] = []
    feed.subscribe(() => void seen.push(feed.latest()))
    feed.publish([change(1), change(2)])
    feed.publish([])
    feed.publish([change(3)])
    expect(seen).toEqual([2, 3])
    expect(feed.since(1)?.map(({ sequence }) => sequence)).toEqual([2, 3])
  })

  it('returns to a reader the changes during its absence', () => {
    const feed = createChangesFeed({ epoch: 'e', capacity: 4 })
    feed.publish([1, 2, 3, 4, 5, 6].map((key) => change(key)))
    expect(feed.since(4)?.map((published) => [published.sequence, published.change])).toEqual([
      [5, change(5)],
      [6, change(6)],
    ])
    expect(feed.since(6)).toEqual([])
    expect(feed.since(2)).toHaveLength(4)
  })

  it('reports that missed changes are not available', () => {
    const feed = createChangesFeed({ epoch: 'e', capacity: 4 })
    feed.publish([1, 2, 3, 4, 5, 6].map((key) => change(key)))
    expect(feed.since(1)).toBeUndefined()
    expect(feed.since(7)).toBeUndefined()
  })

  it('knows its own ids, and none that it cannot have made', () => {
    const feed = createChangesFeed({ epoch: 'e' })
    expect(feed.sequenceOf(feed.idOf(7))).toBe(7)
    for (const id of ['', 'e', 'e:', 'e:-1', 'e:7:9', 'e:7, e:9', 'f:7']) expect(feed.sequenceOf(id)).toBeUndefined()
  })

  it('calls back once when an Execution ends, and not for other statuses or other Executions', () => {
    const feed = createChangesFeed({ epoch: 'e' })
    const called: string[] = []
    feed.whenTerminal(1, () => called.push('a'))
    feed.whenTerminal(1, () => called.push('b'))
    feed.publish([change(1, 'waiting'), change(2, 'completed')])
    expect(called).toEqual([])
    feed.publish([change(1, 'failed')])
    feed.publish([change(1, 'failed')])
    expect(called).toEqual(['a', 'b'])
  })

  it('does not call back for callers that are gone', () => {
    const feed = createChangesFeed({ epoch: 'e' })
    const called: string[] = []
    const forget = feed.whenTerminal(1, () => called.push('a'))
    const stop = feed.subscribe(() => void called.push('batch'))
    forget()
    forget()
    stop()
    feed.publish([change(1, 'completed')])
    feed.close()
    expect(called).toEqual([])
  })

  it('releases all waits when it closes, and later ones at once', () => {
    const feed = createChangesFeed({ epoch: 'e' })
    const called: string[] = []
    feed.whenTerminal(1, () => called.push('waiting'))
    feed.onClose(() => called.push('open'))
    feed.onClose(() => called.push('gone'))()
    feed.close()
    feed.close()
    feed.whenTerminal(2, () => called.push('late'))
    feed.onClose(() => called.push('later'))
    expect(called).toEqual(['waiting', 'open', 'late', 'later'])
  })
})
