import { expect, test } from 'vitest'
import { readSourceMap } from './original-place.ts'

const mapWith = (parts: object): string =>
  JSON.stringify({ version: 3, sources: ['a.ts'], names: [], mappings: 'AAwCA,IAAI', ...parts })

test('a place is where the source map says', () => {
  const placeOf = readSourceMap(mapWith({}))
  expect([placeOf(1, 0), placeOf(1, 9), placeOf(2, 0), placeOf(0, 0)]).toEqual([
    'a.ts:41:1',
    'a.ts:41:5',
    undefined,
    undefined,
  ])
  expect(readSourceMap(mapWith({ sourceRoot: '/src' }))(1, 0)).toBe('/src/a.ts:41:1')
  expect(readSourceMap(mapWith({ sources: [null] }))(1, 0)).toBeUndefined()
})

test.each([
  ['', 'is missing'],
  ['null', 'is no object'],
  [mapWith({ mappings: [[[0, 0, 40, 0]]] }), 'holds decoded mappings'],
  [mapWith({ sources: [5] }), 'has a source without a name'],
])('a source map says nothing if it is no source map: %.60s', (sourceMap) => {
  expect(readSourceMap(sourceMap)(1, 0)).toBeUndefined()
})

test.each([
  ['lines', mapWith({ mappings: `AAwCA${';'.repeat(500_000)}` })],
  ['entries', mapWith({ mappings: `AAwCA${',AAAA'.repeat(500_000)}` })],
  ['values', mapWith({ other: Array(100_000).fill({}) })],
  ['sources', mapWith({ sources: Array(10_001).fill('a.ts') })],
  ['characters in the name of a source', mapWith({ sources: ['x'.repeat(501)] })],
  ['characters in its root', mapWith({ sourceRoot: 'r'.repeat(501) })],
])('a source map with too many %s is not read', (_what, sourceMap) => {
  expect(readSourceMap(sourceMap)(1, 0)).toBeUndefined()
})
