import { expect, it } from 'vitest'
import { whole } from './queries.ts'

it('reads a list to its end', async () => {
  const pages = [
    { items: [1, 2], nextCursor: 'a' },
    { items: [], nextCursor: 'b' },
    { items: [3], nextCursor: null },
  ]
  const asked: (string | undefined)[] = []
  const read = async ({ cursor }: { readonly cursor?: string }) => {
    asked.push(cursor)
    return pages.shift()!
  }
  expect(await whole(read)).toEqual([1, 2, 3])
  expect(asked).toEqual([undefined, 'a', 'b'])
})

it('stops reading a list whose pages are empty and have a next one for ever', async () => {
  let asked = 0
  const read = async () => {
    asked += 1
    return { items: [], nextCursor: 'more' }
  }
  expect(await whole(read)).toEqual([])
  expect(asked).toBeLessThanOrEqual(50)
})
