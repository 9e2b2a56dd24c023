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
  /** Whose pages the notes are about. */
  writer: WrittenPages | undefined
}

export const createNotes = (): WrittenNotes => {
  const memory = new WebAssembly.Memory({ initial: NOTES_WASM_PAGES, maximum: NOTES_WASM_PAGES })
  return { memory, bytes: new Uint8Array(memory.buffer), writer: undefined }
}

const WORD_BYTES = 4
const roundUp = (bytes: number): number => Math.ceil(bytes / WORD_BYTES) * WORD_BYTES

/** Ascending indexes, up to `length`, of the bytes that are not zero, and clears them. Most are zero. */
const takeSet = (bytes: Uint8Array, length: number): readonly number[] => {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, Math.ceil(length / WORD_BYTES))
  const found: number[] = []
  for (let word = 0; word < words.length; word++) {
    if (words[word] === 0) continue
    const first = word * WORD_BYTES
    for (let index = first; index < first + WORD_BYTES; index++) if (bytes[index] !== 0) found.push(index)
    words[word] = 0
  }
  return found
}

/** The pages of one machine that were written since they were last taken. */
export class WrittenPages {
  readonly #notes: WrittenNotes
  readonly #memoryBytes: () => number
  #isWritten = new Uint8Array(1024)

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
    const last = (address + bytes - 1) >>> PAGE_SHIFT
    this.#ensure(last)
    for (let page = address >>> PAGE_SHIFT; page <= last; page++) this.#isWritten[page] = 1
  }

  /** Ascending numbers of the pages. Forgets them. */
  take(): readonly number[] {
    this.follow()
    this.collect()
    return takeSet(this.#isWritten, this.#isWritten.length)
  }

  collect(): void {
    const { bytes } = this.#notes
    // A note of a copy or fill may be about the page after the last one.
    const end = Math.min(this.#memoryBytes() / PAGE_BYTES, bytes.length - 1)
    this.#ensure(end)
    for (const page of takeSet(bytes, end + 1)) this.#isWritten[page] = 1
  }

  #ensure(page: number): void {
    if (page < this.#isWritten.length) return
    const larger = new Uint8Array(Math.max(roundUp(page + 1), 2 * this.#isWritten.length))
    larger.set(this.#isWritten)
    this.#isWritten = larger
  }
}
