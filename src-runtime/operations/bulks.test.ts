import { describe, expect, it, vi } from 'vitest'
import { ApiError } from '../contract/errors.ts'
import { StoreUnavailableError } from '../shared/store-errors.ts'
import { createBulkRuns, type BulkStep } from './bulks.ts'

const open = (onError: (error: unknown) => void = (error) => expect.fail(String(error))) => {
  const bulks = createBulkRuns(onError)
  let count = 0
  return {
    bulks,
    start: (matched: number, step: BulkStep) => {
      const id = `blk_${(count += 1)}`
      return { id, kind: bulks.start({ id, action: 'cancel', matched, step }).kind }
    },
    isOver: (id: string) => vi.waitFor(() => expect(bulks.get(id)?.status).not.toBe('running'), { interval: 1 }),
  }
}

describe('bulks', () => {
  it('run each action once, and count', async () => {
    const seen: number[] = []
    const { bulks, start, isOver } = open()
    const { id } = start(100, (index) => {
      seen.push(index)
      return Promise.resolve(index % 10 !== 0)
    })
    await isOver(id)
    expect(seen.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 100 }, (_, index) => index))
    expect(bulks.get(id)).toEqual({ id, action: 'cancel', status: 'done', matched: 100, done: 90, failed: 10 })
  })

  it.each(['rate_limited', 'unavailable'] as const)(
    'try an action again for which too much was under way (%s)',
    async (code) => {
      const { bulks, start, isOver } = open()
      const step = vi.fn<BulkStep>().mockRejectedValueOnce(new ApiError(code, 'not now')).mockResolvedValue(true)
      const { id } = start(1, step)
      await isOver(id)
      expect(bulks.get(id)).toMatchObject({ status: 'done', done: 1, failed: 0 })
      expect(step.mock.calls).toEqual([[0], [0]])
    },
  )

  it('are done at once if nothing matched', () => {
    const { bulks, start } = open()
    const { id } = start(0, () => Promise.resolve(true))
    expect(bulks.get(id)).toEqual({ id, action: 'cancel', status: 'done', matched: 0, done: 0, failed: 0 })
  })

  it('take turns, so that a small one does not wait for the whole of a large one', async () => {
    const { bulks, start, isOver } = open()
    let underWay = 0
    let mostUnderWay = 0
    const step = async (): Promise<boolean> => {
      underWay += 1
      mostUnderWay = Math.max(mostUnderWay, underWay)
      await Promise.resolve()
      underWay -= 1
      return true
    }
    const large = start(1_000, step)
    let doneOfLarge = 0
    const small = start(40, () => {
      doneOfLarge = bulks.get(large.id)!.done
      return step()
    })
    await isOver(small.id)
    expect(doneOfLarge).toBe(64)
    await isOver(large.id)
    expect(bulks.get(large.id)).toMatchObject({ status: 'done', done: 1_000 })
    expect(mostUnderWay).toBe(32)
  })

  it('count refused actions as failed, and report unexpected errors', async () => {
    const errors: unknown[] = []
    const { bulks, start, isOver } = open((error) => errors.push(error))
    const { id } = start(2, (index) => {
      throw index === 0 ? new ApiError('execution_finished', 'too late') : new TypeError('a fault')
    })
    await isOver(id)
    expect(bulks.get(id)).toMatchObject({ done: 0, failed: 2 })
    expect(errors).toEqual([new TypeError('a fault')])
  })

  it('stop if nothing can be stored any more', async () => {
    const { bulks, start, isOver } = open()
    const { id } = start(1_000, () => Promise.reject(new StoreUnavailableError('full')))
    await isOver(id)
    expect(bulks.get(id)).toMatchObject({ status: 'stopped', done: 0 })
    expect(bulks.get(id)!.failed).toBeLessThan(100)
  })

  it('stop on request, and the next ones continue', async () => {
    const { bulks, start, isOver } = open()
    const { id } = start(1_000, () => Promise.resolve(true))
    const next = start(1, () => Promise.resolve(true))
    expect(bulks.stop(id)?.status).toBe('stopped')
    await isOver(next.id)
    expect(bulks.get(next.id)).toMatchObject({ status: 'done', done: 1 })
    expect(bulks.get(id)?.done).toBeLessThan(100)
    expect(bulks.stop('blk_none')).toBeUndefined()
  })

  it('are refused if too many are unfinished', async () => {
    const { bulks, start } = open()
    for (let n = 0; n < 20; n += 1) start(1, () => new Promise((resolve) => setTimeout(resolve, 5, true)))
    expect(start(1, () => Promise.resolve(true)).kind).toBe('too_many_under_way')
    await bulks.close()
  })

  it('do not count among the unfinished once they are stopped', async () => {
    const { bulks, start, isOver } = open()
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const first = start(1, () => promise)
    const stopped = Array.from({ length: 19 }, () => start(1, () => expect.fail('It was stopped before it began')))
    for (const { id } of stopped) bulks.stop(id)
    const next = start(1, () => Promise.resolve(true))
    expect(next.kind).toBe('started')
    resolve(true)
    await isOver(first.id)
    await isOver(next.id)
  })

  it('are dropped, the oldest first, if there are many', async () => {
    const { bulks, start, isOver } = open()
    const { id: first } = start(0, () => Promise.resolve(true))
    await isOver(first)
    for (let n = 0; n < 220; n += 1) await isOver(start(0, () => Promise.resolve(true)).id)
    expect(bulks.get(first)).toBeUndefined()
  })

  it('finish the running action when they are closed', async () => {
    const { bulks, start } = open()
    let ended = 0
    const { id } = start(1_000, async () => {
      await new Promise((resolve) => setTimeout(resolve, 2))
      ended += 1
      return true
    })
    await vi.waitFor(() => expect(bulks.get(id)!.done).toBeGreaterThan(0))
    await bulks.close()
    expect(bulks.get(id)).toMatchObject({ status: 'stopped', done: ended })
  })
})
