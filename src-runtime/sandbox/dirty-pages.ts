// Which 4 kB pages of a slot differ from its template. Comparing is as fast as memory is, so what counts is to do it in
// few pieces.

import { PAGE_BYTES } from './limits.ts'

/** A template's memory as images see it: where it begins, and which of its pages Executions usually change. */
export type BaseMemory = {
  readonly bytes: Buffer
  readonly words: Int32Array
  /** Address of the first byte. */
  readonly start: number
  readonly habit: Habit
}

/** Pages that are taken for changed without a look; what lies between them is compared in one piece each. */
type Habit = { pages: readonly number[]; uses: number }

const STRIDE = 64 * 1024
const ZEROS = Buffer.alloc(STRIDE)
const MOST_HABITUAL_PAGES = 128
/** Now and then every page is looked at, and the habit becomes what was found. */
const RELEARN_EVERY = 256

/** `bytes` must not change any more. */
export const baseMemory = (bytes: Buffer<ArrayBuffer>, start: number): BaseMemory => {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  return { bytes, words, start, habit: { pages: [], uses: 0 } }
}

/** Ranges lie on one side of the template's end: it is a multiple of the stride. Beyond it are zeros. */
const isSame = (memory: Buffer, { bytes, start }: BaseMemory, from: number, to: number): boolean =>
  from - start < bytes.length
    ? memory.compare(bytes, from - start, to - start, from, to) === 0
    : memory.compare(ZEROS, 0, to - from, from, to) === 0

const findInStride = (memory: Buffer, base: BaseMemory, from: number, to: number, found: number[]): void => {
  if (isSame(memory, base, from, to)) return
  for (let page = from; page < to; page += PAGE_BYTES) {
    if (!isSame(memory, base, page, page + PAGE_BYTES)) found.push(page)
  }
}

const findInRange = (memory: Buffer, base: BaseMemory, from: number, to: number, found: number[]): void => {
  if (to <= base.start + base.bytes.length && isSame(memory, base, from, to)) return
  for (let at = from; at < to;) {
    const end = Math.min(to, at - ((at - base.start) % STRIDE) + STRIDE)
    findInStride(memory, base, at, end, found)
    at = end
  }
}

/** Offsets of the pages up to `end` that differ from the template, and of some that usually do; ascending. */
export const findDirtyPages = (memory: Buffer, base: BaseMemory, end: number): readonly number[] => {
  const { habit } = base
  const relearns = habit.uses++ % RELEARN_EVERY === 0
  const usual = relearns ? [] : habit.pages
  const dirty: number[] = []
  let at = base.start
  for (const page of usual) {
    if (page >= end) break
    if (page > at) findInRange(memory, base, at, page, dirty)
    dirty.push(page)
    at = page + PAGE_BYTES
  }
  if (at < end) findInRange(memory, base, at, end, dirty)
  if ((relearns || dirty.length > usual.length) && dirty.length <= MOST_HABITUAL_PAGES) habit.pages = dirty
  return dirty
}
