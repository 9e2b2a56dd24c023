// The notes of which pages of memory the engine has written; see note-writes.ts. All machines of a process share one
// memory for them, because only one machine runs at a time, and each WebAssembly memory reserves gigabytes of addresses.

import { PAGE_BYTES, WASM_PAGE_BYTES } from './limits.ts'

/** An address shifted by this is the number of its page. */
export const PAGE_SHIFT = Math.log2(PAGE_BYTES)

/** A byte for each page of 4 GiB, the largest possible memory. Only the used part of it takes memory. */
export const NOTES_WASM_PAGES = 2 ** (32 - PAGE_SHIFT) / WASM_PAGE_BYTES

export type WrittenNotes = {
  /** The engine's import. */
  readonly memory: WebAssembly.Memory
  readonly bytes: Uint8Array
  readonly words: Int32Array
  /** Whose pages the notes are about. */
  writer: WrittenPages | undefined
}

export const createNotes = (): WrittenNotes => {
  const memory = new WebAssembly.Memory({ initial: NOTES_WASM_PAGES, maximum: NOTES_WASM_PAGES })
  return { memory, bytes: new Uint8Array(memory.buffer), words: new Int32Array(memory.buffer), writer: undefined }
}

/** Notes are looked at in groups of two words: most are zero. */
const GROUP_PAGES = 8
const GROUP_SHIFT = Math.log2(GROUP_PAGES)

/** A reused buffer for the numbers of pages; as large as the largest so far. */
let taken = new Int32Array(1024)

/** The pages of one machine that were written since they were last taken. */
export class WrittenPages {
  readonly #notes: WrittenNotes
  readonly #memoryBytes: () => number
  /** A byte for each page, and the same as words. */
  #isWritten = new Uint8Array(1024)
  #words = new Int32Array(this.#isWritten.buffer)
  /** All written pages are in these groups. */
  #firstGroup = 0
  #endGroup = 0

  constructor(notes: WrittenNotes, memoryBytes: () => number) {
    this.#notes = notes
    this.#memoryBytes = memoryBytes
  }

  /** Must be called before the machine runs: the notes are about this machine from now on. */
  follow(): void {
    if (this.#notes.writer === this) return
    this.#notes.writer?.collect()
    this.#notes.writer = this
  }

  /** For what this process writes itself. */
  add(address: number, bytes: number): void {
    const first = address >>> PAGE_SHIFT
    const last = (address + bytes - 1) >>> PAGE_SHIFT
    this.#include(first >>> GROUP_SHIFT, last >>> GROUP_SHIFT)
    for (let page = first; page <= last; page++) this.#isWritten[page] = 1
  }

  /** Ascending numbers of the pages, valid until others are taken. Forgets them. */
  take(): Int32Array {
    if (this.#notes.writer === this) this.collect()
    const [isWritten, words] = [this.#isWritten, this.#words]
    const most = (this.#endGroup - this.#firstGroup) * GROUP_PAGES
    if (taken.length < most) taken = new Int32Array(most * 2)
    const pages = taken
    let count = 0
    for (let group = this.#firstGroup; group < this.#endGroup; group++) {
      if (isEmpty(words, group)) continue
      // Without branches for each page, which nothing could predict.
      for (let page = group * GROUP_PAGES; page < (group + 1) * GROUP_PAGES; page++) {
        pages[count] = page
        count += isWritten[page] ?? 0
      }
      clear(words, group)
    }
    this.#firstGroup = this.#endGroup = 0
    return pages.subarray(0, count)
  }

  collect(): void {
    const { bytes, words } = this.#notes
    // A note of a copy or fill may be about the page after the last one.
    const last = Math.min(this.#memoryBytes() / PAGE_BYTES, bytes.length - 1) >>> GROUP_SHIFT
    for (let group = 0; group <= last; group++) {
      if (isEmpty(words, group)) continue
      this.#include(group, group)
      const word = group * 2
      this.#words[word] = (this.#words[word] ?? 0) | (words[word] ?? 0)
      this.#words[word + 1] = (this.#words[word + 1] ?? 0) | (words[word + 1] ?? 0)
      clear(words, group)
    }
  }

  #include(firstGroup: number, lastGroup: number): void {
    const isFirst = this.#endGroup === 0
    if (isFirst || firstGroup < this.#firstGroup) this.#firstGroup = firstGroup
    if (lastGroup >= this.#endGroup) this.#endGroup = lastGroup + 1
    if (lastGroup * GROUP_PAGES < this.#isWritten.length) return
    const larger = new Uint8Array(Math.max((lastGroup + 1) * GROUP_PAGES, 2 * this.#isWritten.length))
    larger.set(this.#isWritten)
    this.#isWritten = larger
    this.#words = new Int32Array(larger.buffer)
  }
}

const isEmpty = (words: Int32Array, group: number): boolean =>
  ((words[group * 2] ?? 0) | (words[group * 2 + 1] ?? 0)) === 0

const clear = (words: Int32Array, group: number): void => {
  words[group * 2] = 0
  words[group * 2 + 1] = 0
}
