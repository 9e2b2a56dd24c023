import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createImageCache, type ParkedImage } from './image-cache.ts'
import { PAGE_BYTES } from './limits.ts'
import { applyDelta, baseMemory, changedPages, extractDelta, restorePages } from './page-delta.ts'
import type { Template } from './slot.ts'
import { createTenantCache } from './tenant-cache.ts'

const KIB64 = 64 * 1024
const START = KIB64
const START_PAGE = START / PAGE_BYTES
const TEMPLATE_BYTES = 2 * KIB64
const MEMORY_BYTES = 4 * KIB64

/** A memory whose upper part equals a template, followed by zeros. */
const createMemory = () => {
  const bytes = Buffer.alloc(MEMORY_BYTES)
  for (let at = START; at < START + TEMPLATE_BYTES; at++) bytes[at] = (at * 31 + (at >> 8)) & 255
  const base = baseMemory(Buffer.from(bytes.subarray(START, START + TEMPLATE_BYTES)), START)
  return {
    bytes,
    words: new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4),
    base,
    clean: Buffer.from(bytes),
  }
}

const writes = fc.array(
  fc.record({ at: fc.integer({ min: START, max: MEMORY_BYTES - 600 }), value: fc.nat(255), length: fc.nat(500) }),
  { maxLength: 30 },
)

/** The pages that were written, by number. */
const createNotes = () => {
  const written = new Set<number>()
  const add = (address: number, bytes: number): void => {
    for (let at = address; at < address + bytes; at++) written.add(Math.floor(at / PAGE_BYTES))
  }
  return { add, take: () => Int32Array.from(written).toSorted() }
}

describe('a delta', () => {
  test('extracts and restores the differences to the template', () => {
    fc.assert(
      fc.property(writes, (changes) => {
        const { bytes, words, base, clean } = createMemory()
        const notes = createNotes()
        for (const { at, value, length } of changes) {
          bytes.fill(value, at, at + length)
          notes.add(at, length)
        }
        const changed = Buffer.from(bytes)
        const delta = extractDelta(words, base, changedPages(words, base, notes.take()), MEMORY_BYTES)
        expect(bytes.equals(clean)).toBe(true)
        const applied = createNotes()
        applyDelta(words, applied, delta)
        expect(bytes.equals(changed)).toBe(true)
        restorePages(words, base, changedPages(words, base, applied.take()))
        expect(bytes.equals(clean)).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  test('holds only the words that differ, whatever else was written', () => {
    const { bytes, words, base } = createMemory()
    bytes.writeUInt32LE(0xffff_ffff, START + 3 * PAGE_BYTES + 8)
    const everything = Int32Array.from({ length: MEMORY_BYTES / PAGE_BYTES }, (_, number) => number)
    const pages = changedPages(words, base, everything.subarray(START_PAGE))
    expect([...extractDelta(words, base, pages, MEMORY_BYTES).changes]).toEqual([START_PAGE + 3, 1 << 2, -1])
  })

  test.each([
    ['', START_PAGE + 1],
    [', at the end of the memory', MEMORY_BYTES / PAGE_BYTES - 2],
  ])('contains the page in which a store across two pages ends%s', (_where, page) => {
    const { bytes, words, base, clean } = createMemory()
    const end = (page + 1) * PAGE_BYTES
    const written = Int32Array.of(page)
    for (let beyond = 1; beyond < 8; beyond++) {
      clean.copy(bytes)
      bytes[end + beyond - 1] = 255 - (clean[end + beyond - 1] ?? 0)
      expect([...changedPages(words, base, written)]).toEqual([page, page + 1])
    }
    clean.copy(bytes)
    expect([...changedPages(words, base, written)]).toEqual([page])
  })

  test('of a memory that grew contains the pages beyond the template', () => {
    const { bytes, words, base } = createMemory()
    bytes.fill(7, MEMORY_BYTES - PAGE_BYTES)
    const last = MEMORY_BYTES / PAGE_BYTES - 1
    // The note of a copy or fill may be about the page after the last one.
    const pages = changedPages(words, base, Int32Array.of(last, last + 1))
    expect([...pages]).toEqual([last])
    const { changes } = extractDelta(words, base, pages, MEMORY_BYTES)
    expect([...changes]).toEqual([last, -1, ...new Int32Array(PAGE_BYTES / 4).fill(0x07070707)])
  })
})

describe('the cache of images', () => {
  const template = { memory: createMemory().base } as Template
  const other = { memory: createMemory().base } as Template
  const image = (turnsDone: number, of: Template = template, tenant = ''): ParkedImage => {
    const { bytes, words } = createMemory()
    for (let at = START; at < START + 1200; at++) bytes[at] = (at * turnsDone) & 255
    const pages = changedPages(
      words,
      of.memory,
      Int32Array.from({ length: 10 }, (_, index) => START_PAGE + index),
    )
    return { tenant, template: of, turnsDone, delta: extractDelta(words, of.memory, pages, MEMORY_BYTES) }
  }

  test('returns an image once', () => {
    const cache = createImageCache(1e6)
    cache.park('a', image(3))
    expect(cache.take('a')).toEqual(image(3))
    expect(cache.take('a')).toBeUndefined()
    expect([cache.bytes, cache.count]).toEqual([0, 0])
  })

  test('drops the least recently used images', () => {
    const cache = createImageCache(16_000)
    for (let index = 1; index <= 40; index++) cache.park(`e${index}`, image(index))
    expect(cache.bytes).toBeLessThanOrEqual(16_000)
    const { count } = cache
    expect(count).toBeGreaterThan(5)
    expect(cache.take(`e${40 - count}`)).toBeUndefined()
    for (let index = 41 - count; index <= 40; index++) expect(cache.take(`e${index}`)).toEqual(image(index))
    expect([cache.bytes, cache.count]).toEqual([0, 0])
  })

  test('drops those of the tenant that keeps the most', () => {
    const cache = createImageCache(16_000)
    cache.park('small', image(1, template, 'small'))
    for (let index = 1; index <= 40; index++) cache.park(`e${index}`, image(index, template, 'large'))
    expect(cache.bytes).toBeLessThanOrEqual(16_000)
    expect(cache.take('e1')).toBeUndefined()
    expect(cache.take('small')).toEqual(image(1, template, 'small'))
  })

  test('drops what nobody used for minutes before what the tenant uses that keeps the most', () => {
    const cache = createImageCache(16_000)
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    onTestFinished(() => clock.mockRestore())
    for (let index = 1; index <= 5; index++) cache.park(`idle${index}`, image(index, template, 'idle'))
    clock.mockReturnValue(300_001)
    const busy = Math.floor(16_000 / (cache.bytes / 5))
    for (let index = 1; index <= busy; index++) cache.park(`busy${index}`, image(index, template, 'busy'))
    expect(cache.take('idle1')).toBeUndefined()
    expect(cache.take('busy1')).toEqual(image(1, template, 'busy'))
  })

  test('keeps the newest, however large', () => {
    const cache = createImageCache(1000)
    cache.park('a', image(1))
    cache.park('b', image(2))
    expect(cache.count).toBe(1)
    expect(cache.take('b')).toEqual(image(2))
  })

  test('keeps one image per Execution, and drops images by Execution and by template', () => {
    const cache = createImageCache(1e6)
    cache.park('a', image(1))
    cache.park('a', image(2))
    expect(cache.count).toBe(1)
    cache.forget('a')
    for (let index = 1; index <= 6; index++) cache.park(`e${index}`, image(index, index % 2 === 0 ? template : other))
    cache.forgetTemplate(other)
    expect(cache.count).toBe(3)
    expect(cache.take('e1')).toBeUndefined()
    expect(cache.take('e2')?.turnsDone).toBe(2)
  })
})

test('a cache of several tenants drops what was used least recently, whenever it was added', () => {
  const cache = createTenantCache<{ readonly tenant: string }>(2, () => 1)
  for (const key of ['a', 'b']) cache.add(key, { tenant: '' })
  cache.get('a')
  cache.add('c', { tenant: '' })
  expect(['a', 'b', 'c'].map((key) => cache.get(key) !== undefined)).toEqual([true, false, true])
})
