import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createTransientMap } from './transient-map.ts'

test('it keeps entries in the order in which their keys were added', () => {
  const map = createTransientMap<string, number>()
  map.set('one', 1)
  map.set('two', 2)
  map.set('one', 3)
  map.set('three', 3)
  map.delete('two')
  map.delete('four')
  map.set('two', 4)
  expect(map.size).toBe(3)
  expect([...map.keys()]).toEqual(['one', 'three', 'two'])
  expect([...map.values()]).toEqual([3, 3, 4])
  expect([map.get('one'), map.get('two'), map.get('four')]).toEqual([3, 4, undefined])
})

test('it can be cleared, also while it is read', () => {
  const map = createTransientMap<number, string>()
  map.set(1, 'one')
  map.set(2, 'two')
  const seen: string[] = []
  for (const value of map.values()) {
    seen.push(value)
    map.clear()
  }
  expect(seen).toEqual(['one'])
  expect(map.size).toBe(0)
  expect(map.get(2)).toBeUndefined()
})

const LIVE = 64
const VALUES = 4_000
const VALUE_LENGTH = 500

test('quick garbage collections free what was removed, however old the map is', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void
  const map = createTransientMap<number, readonly number[]>()
  map.set(0, [])
  for (let times = 0; times < 3; times += 1) collect({ type: 'minor' }) // the map is old now
  const before = oldBytes()
  for (let key = 1; key <= VALUES; key += 1) {
    map.set(
      key,
      Array.from({ length: VALUE_LENGTH }, () => 0.5),
    )
    map.delete(key - LIVE)
    if (key % (4 * LIVE) === 0) collect({ type: 'minor' })
  }
  expect(oldBytes() - before).toBeLessThan((VALUES / 10) * VALUE_LENGTH * 8)
  expect(map.size).toBe(LIVE)
})

const oldBytes = (): number => {
  const old = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')
  return old?.space_used_size ?? 0
}
