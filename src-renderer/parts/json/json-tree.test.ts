import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExactJson } from '../../exact-json.ts'
import { searchJson } from './json-search.ts'
import { allOpened, openedTo, pathText, rowsOf, type Segment, wayTo } from './json-tree.ts'

const shown = (value: unknown, opened = new Map<string, boolean>()) =>
  rowsOf(value, opened).map(
    ({ level, name, children, open }) => `${level} ${name ?? '$'} ${children}${open ? ' open' : ''}`,
  )

const order = { id: 7, lines: [{ sku: 'a' }, { sku: 'b' }], empty: {} }
const never = () => Promise.resolve()
const search = async (value: unknown, text: string) =>
  (await searchJson(value, text, new AbortController().signal, never)).found.map(pathText)

describe('the rows of a JSON tree', () => {
  it('show the first two levels open', () => {
    expect(shown(order)).toEqual(['1 $ 3 open', '2 id 0', '2 lines 2 open', '3 0 1', '3 1 1', '2 empty 0'])
  })

  it('keep what the user opened and closed', () => {
    expect(shown(order, new Map([['/lines', false]]))).toEqual(['1 $ 3 open', '2 id 0', '2 lines 2', '2 empty 0'])
    expect(shown(order, new Map([['/lines/1', true]]))).toContain('4 sku 0')
  })

  it('show an exact number as a leaf', () => {
    expect(shown(parseExactJson('[12345678901234567890]'))).toEqual(['1 $ 1 open', '2 0 0'])
  })

  it('divide a long array into ranges of at most a hundred', () => {
    const long = Array.from({ length: 500_000 }, (_, index) => index)
    const rows = rowsOf(long, new Map())
    expect(rows).toHaveLength(1 + 50)
    expect(rows[1]).toMatchObject({ name: '[0 … 9999]', children: 10_000, range: true, open: false, siblings: 50 })
    const way = wayTo(long, [123_456])
    expect(way).toEqual(['', '#120000-130000', '#123400-123500', '/123456'])
    const opened = rowsOf(long, openedTo(long, [123_456], new Map()))
    expect(opened.find((row) => row.id === '/123456')).toMatchObject({ level: 4, value: 123_456, name: '123456' })
    expect(opened).toHaveLength(1 + 50 + 100 + 100)
  })

  it('divide a long object too', () => {
    const long = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`m${index}`, index]))
    expect(shown(long)).toEqual(['1 $ 250 open', '2 [0 … 99] 100', '2 [100 … 199] 100', '2 [200 … 249] 50'])
    expect(wayTo(long, ['m249'])).toEqual(['', '#200-250', '/m249'])
  })

  it('have unique ids, with any names', () => {
    const hostile = JSON.parse(
      '{"a/b":1,"a":{"b":1},"#0-100":1,"~1":1,"":1,"__proto__":{"x":1},"constructor":1}',
    ) as unknown
    const ids = rowsOf(hostile, allOpened(hostile, 100)).map((row) => row.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toContain('/__proto__/x')
  })

  it('can all be opened, within limits', () => {
    const wide = Array.from({ length: 90 }, () => Array.from({ length: 90 }, () => 1))
    expect(rowsOf(wide, allOpened(wide, 1_000)).length).toBeLessThanOrEqual(1_000)
    expect(rowsOf(order, allOpened(order, 1_000))).toHaveLength(8)
  })

  it('reach every part of any value', () => {
    const partsOf = (value: unknown, segments: readonly Segment[] = []): readonly (readonly Segment[])[] => [
      segments,
      ...(typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([name, inner]) =>
            partsOf(inner, [...segments, Array.isArray(value) ? Number(name) : name]),
          )
        : []),
    ]
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        const parsed = JSON.parse(text) as unknown
        for (const segments of partsOf(parsed)) {
          const rows = rowsOf(parsed, openedTo(parsed, segments, new Map()))
          expect(rows.filter((row) => row.id === wayTo(parsed, segments).at(-1))).toHaveLength(1)
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('a path', () => {
  it('is written as JSONPath', () => {
    expect(pathText([])).toBe('$')
    expect(pathText(['items', 3, 'first name', 'a"b', '_x1'])).toBe('$.items[3]["first name"]["a\\"b"]._x1')
  })
})

describe('searching a JSON value', () => {
  it('finds names and values, ignoring case', async () => {
    expect(await search(order, 'SKU')).toEqual(['$.lines[0].sku', '$.lines[1].sku'])
    expect(await search(order, 'B')).toEqual(['$.lines[1].sku'])
    expect(await search(parseExactJson('{"n":12345678901234567890,"t":true,"z":null}'), '67890')).toEqual(['$.n'])
  })

  it('finds nothing for an empty text, and reports more matches than it shows', async () => {
    expect(await search(order, '')).toEqual([])
    const many = Array.from({ length: 5_000 }, () => 'same')
    const matches = await searchJson(many, 'same', new AbortController().signal, never)
    expect([matches.found.length, matches.more]).toEqual([1_000, true])
  })

  it('yields in between, and stops when it is no longer needed', async () => {
    const long = Array.from({ length: 300_000 }, (_, index) => `item ${index}`)
    const abandoned = new AbortController()
    let rests = 0
    await searchJson(long, 'nowhere', abandoned.signal, () => {
      rests += 1
      abandoned.abort()
      return Promise.resolve()
    })
    expect(rests).toBe(1)
  })
})
