// An image holds the words in which an Execution's memory differs from its template: most words of a changed page are
// unchanged.

import { PAGE_BYTES } from './limits.ts'
import type { WrittenPages } from './written-notes.ts'

/** A template's memory: its content, and where it begins. Elsewhere a slot holds zeros. */
export type BaseMemory = {
  readonly bytes: Buffer
  readonly words: Int32Array
  /** Address of the first byte. */
  readonly start: number
}

/** `bytes` must not change any more. */
export const baseMemory = (bytes: Buffer<ArrayBuffer>, start: number): BaseMemory => {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  return { bytes, words, start }
}

export type Delta = {
  /** Runs of words: word offset, count, the words. */
  readonly runs: Int32Array
  readonly memoryBytes: number
}

const PAGE_WORDS = PAGE_BYTES / 4
/** The most that one page needs: every other word is a run of its own. Runs do not cross pages. */
const MOST_PAGE_ENTRY_WORDS = PAGE_WORDS * 2
const HEAD_WORDS = 2

const ZERO_PAGE = new Int32Array(PAGE_WORDS)

/** A reused buffer for building deltas; as large as the largest so far. */
let scratch = new Int32Array(64 * 1024)

const ensureScratch = (words: number): Int32Array => {
  if (scratch.length < words) {
    const larger = new Int32Array(Math.max(words, scratch.length * 2))
    larger.set(scratch)
    scratch = larger
  }
  return scratch
}

/** Extracts the differences from the pages and restores the template. */
export const extractDelta = (
  memory: Int32Array,
  base: BaseMemory,
  pages: readonly number[],
  memoryBytes: number,
): Delta => {
  let used = 0
  for (const page of pages) {
    const start = page / 4
    const from = (page - base.start) / 4
    // A view of one page lets the engine omit bounds checks in this loop, the sandbox's busiest.
    const words = memory.subarray(start, start + PAGE_WORDS)
    const original = from < base.words.length ? base.words.subarray(from, from + PAGE_WORDS) : ZERO_PAGE
    used = extractPage(words, original, start, ensureScratch(used + MOST_PAGE_ENTRY_WORDS), used)
  }
  return { runs: scratch.slice(0, used), memoryBytes }
}

const extractPage = (words: Int32Array, original: Int32Array, start: number, out: Int32Array, used: number): number => {
  let to = used
  let head = used
  let runEnd = -1
  for (let at = 0; at < PAGE_WORDS; at++) {
    if (words[at] === original[at]) continue
    if (at !== runEnd) {
      head = to
      out[to++] = start + at
      out[to++] = 0
    }
    out[to++] = words[at] ?? 0
    out[head + 1] = to - head - HEAD_WORDS
    words[at] = original[at] ?? 0
    runEnd = at + 1
  }
  return to
}

export const restorePages = (memory: Buffer, { bytes, start }: BaseMemory, pages: readonly number[]): void => {
  for (const page of pages) {
    const from = page - start
    if (from >= 0 && from < bytes.length) bytes.copy(memory, page, from, from + PAGE_BYTES)
    else memory.fill(0, page, page + PAGE_BYTES)
  }
}

/** The longest store. It may begin in a page of which there is a note, and end in the next one. */
const LONGEST_STORE_BYTES = 8

/** Addresses of the pages that may differ from the template, given the numbers of the written ones; both ascend. */
export const changedPages = (memory: Buffer, base: BaseMemory, written: readonly number[]): readonly number[] => {
  const pages: number[] = []
  written.forEach((number, index) => {
    const next = (number + 1) * PAGE_BYTES
    if (next <= memory.length) pages.push(next - PAGE_BYTES)
    if (written[index + 1] !== number + 1 && next < memory.length && isBeginningChanged(memory, base, next))
      pages.push(next)
  })
  return pages
}

const isBeginningChanged = (memory: Buffer, { bytes, start }: BaseMemory, page: number): boolean => {
  for (let at = page; at < page + LONGEST_STORE_BYTES; at++) if (memory[at] !== (bytes[at - start] ?? 0)) return true
  return false
}

/** `written` learns what was written, as if the machine had done it. */
export const applyDelta = (memory: Int32Array, written: Pick<WrittenPages, 'add'>, { runs }: Delta): void => {
  for (let at = 0; at < runs.length;) {
    const word = runs[at] ?? 0
    const count = runs[at + 1] ?? 0
    const from = at + HEAD_WORDS
    for (let index = 0; index < count; index++) memory[word + index] = runs[from + index] ?? 0
    written.add(word * 4, count * 4)
    at = from + count
  }
}
