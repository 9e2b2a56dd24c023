import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { baseMemory, findDirtyPages } from './dirty-pages.ts'
import { createImageCache, type ParkedImage } from './image-cache.ts'
import { PAGE_BYTES } from './limits.ts'
import { applyDelta, extractDelta, restorePages } from './page-delta.ts'
import type { Template } from './slot.ts'

const KIB64 = 64 * 1024
const START = KIB64
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

describe('a delta', () => {
  test('extracts and restores the differences to the template', () => {
    fc.assert(
      fc.property(writes, (changes) => {
        const { bytes, words, base, clean } = createMemory()
        for (const { at, value, length } of changes) bytes.fill(value, at, at + length)
        const changed = Buffer.from(bytes)
        const delta = extractDelta(words, base, findDirtyPages(bytes, base, MEMORY_BYTES), MEMORY_BYTES)
        expect(bytes.equals(clean)).toBe(true)
        applyDelta(words, delta)
        expect(bytes.equals(changed)).toBe(true)
        restorePages(bytes, base, findDirtyPages(bytes, base, MEMORY_BYTES))
        expect(bytes.equals(clean)).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  test('does not depend on the pages that other Executions change', () => {
    const { bytes, words, base, clean } = createMemory()
    for (let round = 0; round < 600; round++) {
      const at = START + ((round * 7919) % (MEMORY_BYTES - START - 8))
      bytes.writeUInt8((round + 1) & 255, at)
      const changed = Buffer.from(bytes)
      const delta = extractDelta(words, base, findDirtyPages(bytes, base, MEMORY_BYTES), MEMORY_BYTES)
      expect(bytes.equals(clean)).toBe(true)
      expect(delta.runs.length).toBeLessThanOrEqual(3)
      applyDelta(words, delta)
      expect(bytes.equals(changed)).toBe(true)
      restorePages(bytes, base, findDirtyPages(bytes, base, MEMORY_BYTES))
    }
  })

  test('of a memory that grew contains the pages beyond the template', () => {
    const { bytes, words, base } = createMemory()
    bytes.fill(7, MEMORY_BYTES - PAGE_BYTES)
    const pages = findDirtyPages(bytes, base, MEMORY_BYTES)
    expect(pages).toContain(MEMORY_BYTES - PAGE_BYTES)
    expect(extractDelta(words, base, pages, MEMORY_BYTES).runs).toHaveLength(2 + PAGE_BYTES / 4)
  })
})

describe('the cache of images', () => {
  const template = { memory: createMemory().base } as Template
  const other = { memory: createMemory().base } as Template
  const image = (turnsDone: number, of: Template = template): ParkedImage => {
    const { bytes, words } = createMemory()
    for (let at = START; at < START + 1200; at++) bytes[at] = (at * turnsDone) & 255
    const pages = findDirtyPages(bytes, of.memory, MEMORY_BYTES)
    return { template: of, turnsDone, delta: extractDelta(words, of.memory, pages, MEMORY_BYTES) }
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
