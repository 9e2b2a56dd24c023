import { describe, expect, it } from 'vitest'
import { unlessAborted } from '../../src-runtime/shared/fair-places.ts'
import { createEffectPlaces } from './effect-places.ts'

const rigWith = (most: number) => {
  const places = createEffectPlaces(() => most)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const take = (
    programId: string,
    executionId = programId,
    { signal = new AbortController().signal, workspace = 'a' } = {},
  ) =>
    places.take(workspace, { programId, executionId, attempt: 1 }, unlessAborted(signal)).then((end) => {
      begun.push(executionId)
      ends.push(end)
    })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return { take, begun, ends, settle }
}

describe('places for effects', () => {
  it('go to Programs, and to the Executions of each, in turn', async () => {
    const { take, begun, ends, settle } = rigWith(1)
    for (let n = 0; n < 3; n++) void take('greedy', 'greedy 1')
    void take('greedy', 'greedy 2')
    void take('modest')
    for (let n = 0; n < 5; n++) {
      await settle()
      ends[n]!()
    }
    await settle()
    expect(begun).toEqual(['greedy 1', 'greedy 1', 'modest', 'greedy 2', 'greedy 1'])
  })

  it('are never all taken by one Program, if they are many', async () => {
    const { take, begun, settle } = rigWith(16)
    for (let n = 0; n < 100; n++) void take('greedy')
    await settle()
    expect(begun).toHaveLength(14)
    await take('modest')
    expect(begun).toHaveLength(15)
    void take('modest')
    await settle()
    expect(begun).toHaveLength(15)
  })

  it('count for a Program as long as it holds them', async () => {
    const { take, begun, ends, settle } = rigWith(16)
    for (let n = 0; n < 14; n++) void take('greedy')
    await settle()
    for (const end of ends.splice(0, 13)) end()
    for (let n = 0; n < 13; n++) void take('other')
    await settle()
    expect(begun).toHaveLength(27)
    // It holds one of the 14 that are taken.
    void take('greedy')
    await settle()
    expect(begun).toHaveLength(28)
  })

  it('are those of each workspace, and as many as it may have', async () => {
    const { take, begun, ends, settle } = rigWith(2)
    for (let n = 0; n < 4; n++) void take('order')
    await take('order', 'other workspace', { workspace: 'b' })
    expect(begun).toEqual(['order', 'order', 'other workspace'])
    ends[0]!()
    ends[1]!()
    await settle()
    expect(begun).toHaveLength(5)
  })

  it('are not waited for any longer once that is aborted', async () => {
    const { take, begun, ends, settle } = rigWith(1)
    await take('order')
    const signal = AbortSignal.abort(new Error('cancelled'))
    await expect(take('order', 'aborted before', { signal })).rejects.toThrow('cancelled')
    const caller = new AbortController()
    const aborted = take('order', 'aborted later', { signal: caller.signal })
    void take('order', 'next')
    caller.abort(new Error('cancelled'))
    await expect(aborted).rejects.toThrow('cancelled')
    ends[0]!()
    await settle()
    expect(begun).toEqual(['order', 'next'])
  })
})
