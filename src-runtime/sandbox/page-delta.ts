// An image holds the words in which an Execution's memory differs from its template: most words of a changed page are
// unchanged.

import { PAGE_BYTES } from './limits.ts'
import type { WrittenPages } from './written-notes.ts'

const WORD_BYTES = 4
/** A number has a bit for each word of a page. */
const PAGE_WORDS = PAGE_BYTES / WORD_BYTES

/** A template's memory: its content, and where it begins. Elsewhere a slot holds zeros. */
export type BaseMemory = {
  readonly bytes: Buffer
  readonly words: Int32Array
  /** Index of its first word in the slot's memory. */
  readonly firstWord: number
}

/** `bytes` must not change any more. `start`: the address of the first. */
export const baseMemory = (bytes: Buffer<ArrayBuffer>, start: number): BaseMemory => {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / WORD_BYTES)
  return { bytes, words, firstWord: start / WORD_BYTES }
}

export type Delta = {
  /** For each changed page: its number, a bit for each of its words that differs, and those words. */
  readonly changes: Int32Array
  readonly memoryBytes: number
}

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
  { words, firstWord }: BaseMemory,
  pages: Int32Array,
  memoryBytes: number,
): Delta => {
  let used = 0
  for (let index = 0; index < pages.length; index++) {
    const page = pages[index] ?? 0
    const out = ensureScratch(used + HEAD_WORDS + PAGE_WORDS)
    const from = page * PAGE_WORDS - firstWord
    used =
      from < words.length
        ? extractPage(memory, page, words, from, out, used)
        : extractPage(memory, page, ZERO_PAGE, 0, out, used)
  }
  return { changes: scratch.slice(0, used), memoryBytes }
}

/** Without branches for each word, which nothing could predict. Returns how much of `out` is used then. */
const extractPage = (
  memory: Int32Array,
  page: number,
  original: Int32Array,
  from: number,
  out: Int32Array,
  used: number,
): number => {
  const at = page * PAGE_WORDS
  let changed = 0
  let next = used + HEAD_WORDS
  for (let word = 0; word < PAGE_WORDS; word++) {
    const value = memory[at + word] ?? 0
    const before = original[from + word] ?? 0
    const difference = value ^ before
    const isChanged = (difference | -difference) >>> 31
    out[next] = value
    next += isChanged
    changed |= isChanged << word
    memory[at + word] = before
  }
  out[used] = page
  out[used + 1] = changed
  return changed === 0 ? used : next
}

export const restorePages = (memory: Int32Array, { words, firstWord }: BaseMemory, pages: Int32Array): void => {
  for (let index = 0; index < pages.length; index++) {
    const at = (pages[index] ?? 0) * PAGE_WORDS
    const from = at - firstWord
    if (from >= 0 && from < words.length) copyPage(words, from, memory, at)
    else copyPage(ZERO_PAGE, 0, memory, at)
  }
}

const copyPage = (source: Int32Array, from: number, target: Int32Array, to: number): void => {
  for (let word = 0; word < PAGE_WORDS; word++) target[to + word] = source[from + word] ?? 0
}

let found = new Int32Array(1024)

/**
 * Numbers of the pages that may differ from the template, given those of the written ones; both ascend. The longest store
 * takes two words: it may begin in a page of which there is a note, and end in the next one. Valid until the next call.
 */
export const changedPages = (memory: Int32Array, base: BaseMemory, written: Int32Array): Int32Array => {
  const end = memory.length / PAGE_WORDS
  if (found.length < written.length * 2) found = new Int32Array(written.length * 4)
  let count = 0
  const pages = found
  for (let index = 0; index < written.length; index++) {
    const page = written[index] ?? 0
    const next = page + 1
    if (next <= end) pages[count++] = page
    if (next < end && written[index + 1] !== next && isBeginningChanged(memory, base, next)) pages[count++] = next
  }
  return pages.subarray(0, count)
}

const isBeginningChanged = (memory: Int32Array, { words, firstWord }: BaseMemory, page: number): boolean => {
  const at = page * PAGE_WORDS
  const from = at - firstWord
  return memory[at] !== (words[from] ?? 0) || memory[at + 1] !== (words[from + 1] ?? 0)
}

/** `written` learns what was written, as if the machine had done it. */
export const applyDelta = (memory: Int32Array, written: Pick<WrittenPages, 'add'>, { changes }: Delta): void => {
  for (let next = 0; next < changes.length;) {
    const page = changes[next++] ?? 0
    const at = page * PAGE_WORDS
    for (let left = changes[next++] ?? 0; left !== 0; left &= left - 1) {
      memory[at + lowestBit(left)] = changes[next++] ?? 0
    }
    written.add(page * PAGE_BYTES, PAGE_BYTES)
  }
}

const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits)
