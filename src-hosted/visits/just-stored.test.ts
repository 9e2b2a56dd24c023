import { expect, it } from 'vitest'
import { createJustStored, type StoredStart } from './just-stored.ts'

const startOf = (id: string) => ({ execution: { id }, change: {}, claimed: new Map() }) as unknown as StoredStart

it('gives each start once, to the visit that follows it soon', () => {
  let at = 0
  const { keep, take } = createJustStored(() => at)
  keep(startOf('a'))
  keep(startOf('b'))
  expect(take('a')).toMatchObject({ execution: { id: 'a' } })
  expect(take('a')).toBeUndefined()
  at = 1_001
  expect(take('b')).toBeUndefined()
})

it('keeps some hundreds, and forgets the oldest', () => {
  const { keep, take } = createJustStored(() => 0)
  for (let n = 0; n < 513; n += 1) keep(startOf(`${n}`))
  expect(take('0')).toBeUndefined()
  expect(take('1')).toBeDefined()
  expect(take('512')).toBeDefined()
})
