import { describe, expect, it } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

const drain = (queue: ReturnType<typeof createFairQueue<string>>): readonly string[] => {
  const taken: string[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item)
  return taken
}

describe('the fair queue', () => {
  it('alternates between keys and keeps the order within a key', () => {
    const queue = createFairQueue<string>()
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(item[0]!, item)
    expect(queue.size).toBe(6)
    expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
    expect(queue.size).toBe(0)
  })

  it('removes an item once', () => {
    const queue = createFairQueue<string>()
    queue.add('a', 'a1')
    queue.add('a', 'a2')
    expect(queue.remove('a', 'a1')).toBe(true)
    expect(queue.remove('a', 'a1')).toBe(false)
    expect([queue.has('a'), queue.has('b')]).toEqual([true, false])
    expect(queue.remove('b', 'a2')).toBe(false)
    expect(drain(queue)).toEqual(['a2'])
    expect(queue.take()).toBeUndefined()
  })

  it('skips keys that take() excludes, and returns all items', () => {
    const queue = createFairQueue<string>()
    for (const item of ['a1', 'a2', 'b1']) queue.add(item[0]!, item)
    expect(queue.take((key) => key !== 'a')).toBe('b1')
    expect(queue.take((key) => key !== 'a')).toBeUndefined()
    queue.add('b', 'b2')
    queue.add('c', 'c1')
    expect([queue.size, queue.takeAll(), queue.size]).toEqual([4, ['a1', 'a2', 'b2', 'c1'], 0])
    expect(queue.take()).toBeUndefined()
  })
})
