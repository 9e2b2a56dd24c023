import { expect, it } from 'vitest'
import { timeOfId } from './id-time.ts'
import { createIds } from './ids.ts'

it('makes TypeIDs: a prefix and 26 characters of base32', () => {
  const id = createIds(() => 1_790_000_000_000)('exe')
  expect(id).toMatch(/^exe_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  expect(timeOfId(id)).toBe(1_790_000_000_000)
})

it('makes other ids than another process at the same time', () => {
  const [ids, others] = [createIds(() => 1_790_000_000_000), createIds(() => 1_790_000_000_000)].map((newId) =>
    Array.from({ length: 2_000 }, () => newId('exe')),
  )
  expect(new Set([...ids!, ...others!]).size).toBe(4_000)
})

it('makes increasing ids, also within one millisecond and when the clock goes back', () => {
  let now = 1_790_000_000_000
  const newId = createIds(() => now)
  const ids = Array.from({ length: 2_000 }, () => newId('exe'))
  now -= 3_600_000
  ids.push(...Array.from({ length: 2_000 }, () => newId('exe')))
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})
