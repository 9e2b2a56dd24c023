// An image: the 64-byte blocks in which an Execution's memory differs from its template. Most of a page that was
// touched is as it was.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { BaseMemory } from './dirty-pages.ts'
import { PAGE_BYTES } from './limits.ts'

export type Delta = {
  /** For each block its word offset, then its words. */
  readonly blocks: Int32Array
  /** How large the memory was. */
  readonly memoryBytes: number
}

const BLOCK_WORDS = 16
const ENTRY_WORDS = 1 + BLOCK_WORDS
const PAGE_WORDS = PAGE_BYTES / 4

const ZERO_PAGE = new Int32Array(PAGE_WORDS)

/** Where the next delta is put together; as large as the largest so far. */
let scratch = new Int32Array(64 * 1024)

const ensureScratch = (words: number): void => {
  if (scratch.length >= words) return
  const larger = new Int32Array(Math.max(words, scratch.length * 2))
  larger.set(scratch)
  scratch = larger
}

/** Four words a step: this loop sees every word of every page that was touched. */
const differs = (left: Int32Array, at: number, right: Int32Array, from: number): boolean => {
  for (let word = 0; word < BLOCK_WORDS; word += 4) {
    if (left[at + word] !== right[from + word] || left[at + word + 1] !== right[from + word + 1]) return true
    if (left[at + word + 2] !== right[from + word + 2] || left[at + word + 3] !== right[from + word + 3]) return true
  }
  return false
}

/** Takes what differs out of the pages and puts the template back. */
export const extractDelta = (
  memory: Int32Array,
  base: BaseMemory,
  pages: readonly number[],
  memoryBytes: number,
): Delta => {
  let used = 0
  for (const page of pages) {
    const at = page / 4
    const from = at - base.start / 4
    const isBeyond = from >= base.words.length
    const original = isBeyond ? ZERO_PAGE : base.words
    const shift = isBeyond ? 0 : from
    ensureScratch(used + (PAGE_WORDS / BLOCK_WORDS) * ENTRY_WORDS)
    for (let block = 0; block < PAGE_WORDS; block += BLOCK_WORDS) {
      if (!differs(memory, at + block, original, shift + block)) continue
      scratch[used++] = at + block
      for (let word = 0; word < BLOCK_WORDS; word++) {
        scratch[used++] = memory[at + block + word] ?? 0
        memory[at + block + word] = original[shift + block + word] ?? 0
      }
    }
  }
  return { blocks: scratch.slice(0, used), memoryBytes }
}

export const restorePages = (memory: Buffer, base: BaseMemory, pages: readonly number[]): void => {
  for (const page of pages) {
    const from = page - base.start
    if (from < base.bytes.length) base.bytes.copy(memory, page, from, from + PAGE_BYTES)
    else memory.fill(0, page, page + PAGE_BYTES)
  }
}

export const applyDelta = (memory: Int32Array, { blocks }: Delta): void => {
  for (let entry = 0; entry < blocks.length; entry += ENTRY_WORDS) {
    const at = blocks[entry] ?? 0
    for (let word = 0; word < BLOCK_WORDS; word++) memory[at + word] = blocks[entry + 1 + word] ?? 0
  }
}

export type CompressedDelta = { readonly packed: Buffer; readonly blockWords: number; readonly memoryBytes: number }

/** Most words of a block are as in the template, too: XOR leaves zeros. Done twice, it undoes itself. */
const xorWithTemplate = (blocks: Int32Array, { words, start }: BaseMemory): void => {
  for (let entry = 0; entry < blocks.length; entry += ENTRY_WORDS) {
    const from = (blocks[entry] ?? 0) - start / 4
    if (from >= words.length) continue
    for (let word = 0; word < BLOCK_WORDS; word++) {
      blocks[entry + 1 + word] = (blocks[entry + 1 + word] ?? 0) ^ (words[from + word] ?? 0)
    }
  }
}

const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Uses up the delta: it is worked on where it is. */
export const compressDelta = ({ blocks, memoryBytes }: Delta, base: BaseMemory): CompressedDelta => {
  xorWithTemplate(blocks, base)
  const packed = zstdCompressSync(blocks, FAST)
  // A copy of its own size: what comes back may be a slice of something larger.
  return { packed: Buffer.from(packed), blockWords: blocks.length, memoryBytes }
}

export const expandDelta = ({ packed, blockWords, memoryBytes }: CompressedDelta, base: BaseMemory): Delta => {
  const bytes = zstdDecompressSync(packed, { maxOutputLength: Math.max(1, blockWords * 4) })
  const blocks = new Int32Array(blockWords)
  Buffer.from(blocks.buffer).set(bytes)
  xorWithTemplate(blocks, base)
  return { blocks, memoryBytes }
}
