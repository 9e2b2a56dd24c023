import { expect, it } from 'vitest'
import { createJustStored, type Stored } from './just-stored.ts'

const startOf = (id: string) => ({ execution: { id }, start: { change: {}, claimed: new Map() } }) as unknown as Stored

it('gives each start once, to the visit that follows it soon', () => {
  let at = 10_000
  const { keep, take } = createJustStored(() => at)
  keep(startOf('a'), 'start')
  keep(startOf('b'), 'start')
  expect(take('a', 'start')).toMatchObject({ execution: { id: 'a' } })
  expect(take('a', 'start')).toBeUndefined()
  at = 11_000
  keep(startOf('c'), 'start')
  expect(take('b', 'start')).toBeDefined()
  at = 12_001
  expect(take('c', 'start')).toBeUndefined()
})

it('gives nothing to a visit for what came since, nor to one after that', () => {
  const { keep, take } = createJustStored(() => 0)
  keep(startOf('a'), 'start')
  expect(take('a', 'event')).toBeUndefined()
  expect(take('a', 'start')).toBeUndefined()
})

it('keeps some hundreds, and forgets the oldest', () => {
  const { keep, take } = createJustStored(() => 0)
  for (let n = 0; n < 513; n += 1) keep(startOf(`${n}`), 'start')
  expect(take('0', 'start')).toBeUndefined()
  expect(take('1', 'start')).toBeDefined()
  expect(take('512', 'start')).toBeDefined()
})
