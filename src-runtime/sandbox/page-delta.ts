// An image is what differs from its template: 4 kB pages. Pages beyond the template's end differ from zeros.

import { zstdCompressSync, zstdDecompressSync, constants } from 'node:zlib'
import { PAGE_BYTES } from './limits.ts'

export type PageDelta = {
  /** Offsets of the pages, ascending. */
  readonly offsets: Uint32Array
  /** Their contents, one behind the other. */
  readonly pages: Buffer
  /** How large the memory was. */
  readonly memoryBytes: number
}

const STRIDE = 64 * 1024
const ZEROS = Buffer.alloc(STRIDE)

/** Offsets of the pages in `[start, end)` of `memory` that differ from `template`, whose first byte stands for `start`. */
export const findDirtyPages = (memory: Buffer, template: Buffer, start: number, end: number): number[] => {
  const dirty: number[] = []
  const templateEnd = start + template.length
  for (let stride = start; stride < end; stride += STRIDE) {
    const strideEnd = Math.min(stride + STRIDE, end)
    if (isSame(memory, template, start, stride, strideEnd, templateEnd)) continue
    for (let page = stride; page < strideEnd; page += PAGE_BYTES) {
      if (!isSame(memory, template, start, page, page + PAGE_BYTES, templateEnd)) dirty.push(page)
    }
  }
  return dirty
}

/** Ranges never straddle the template's end: both are multiples of the stride. */
const isSame = (
  memory: Buffer,
  template: Buffer,
  start: number,
  from: number,
  to: number,
  templateEnd: number,
): boolean =>
  from < templateEnd
    ? memory.compare(template, from - start, to - start, from, to) === 0
    : memory.compare(ZEROS, 0, to - from, from, to) === 0

export const copyPages = (memory: Buffer, offsets: readonly number[], memoryBytes: number): PageDelta => {
  const pages = Buffer.allocUnsafeSlow(offsets.length * PAGE_BYTES)
  for (let index = 0; index < offsets.length; index++) {
    const offset = offsets[index] ?? 0
    memory.copy(pages, index * PAGE_BYTES, offset, offset + PAGE_BYTES)
  }
  return { offsets: Uint32Array.from(offsets), pages, memoryBytes }
}

export const restoreTemplatePages = (
  memory: Buffer,
  template: Buffer,
  start: number,
  offsets: ArrayLike<number>,
): void => {
  for (let index = 0; index < offsets.length; index++) {
    const offset = offsets[index] ?? 0
    const from = offset - start
    if (from < template.length) template.copy(memory, offset, from, from + PAGE_BYTES)
    else memory.fill(0, offset, offset + PAGE_BYTES)
  }
}

export const writePages = (memory: Buffer, delta: PageDelta): void => {
  for (let index = 0; index < delta.offsets.length; index++) {
    const offset = delta.offsets[index] ?? 0
    delta.pages.copy(memory, offset, index * PAGE_BYTES, (index + 1) * PAGE_BYTES)
  }
}

export type CompressedDelta = { readonly offsets: Uint32Array; readonly packed: Buffer; readonly memoryBytes: number }

/** Most of a changed page is as it was in the template: what is left after XOR is nearly all zeros. */
const xorWithTemplate = (delta: PageDelta, template: Buffer, start: number): Buffer => {
  const mixed = Buffer.from(delta.pages)
  for (let index = 0; index < delta.offsets.length; index++) {
    const from = (delta.offsets[index] ?? 0) - start
    if (from >= template.length) continue
    const page = words(mixed, index * PAGE_BYTES)
    const original = words(template, from)
    for (let word = 0; word < page.length; word++) page[word] = (page[word] ?? 0) ^ (original[word] ?? 0)
  }
  return mixed
}

const words = (buffer: Buffer, offset: number): Int32Array =>
  new Int32Array(buffer.buffer, buffer.byteOffset + offset, PAGE_BYTES / 4)

const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export const compressDelta = (delta: PageDelta, template: Buffer, start: number): CompressedDelta => {
  const packed = zstdCompressSync(xorWithTemplate(delta, template, start), FAST)
  // A copy of its own: a slice would keep the larger buffer behind it alive.
  return { offsets: delta.offsets, packed: Buffer.from(packed), memoryBytes: delta.memoryBytes }
}

export const expandDelta = (compressed: CompressedDelta, template: Buffer, start: number): PageDelta => {
  const pages = Buffer.allocUnsafeSlow(compressed.offsets.length * PAGE_BYTES)
  zstdDecompressSync(compressed.packed).copy(pages)
  const delta = { offsets: compressed.offsets, pages, memoryBytes: compressed.memoryBytes }
  return { ...delta, pages: xorWithTemplate(delta, template, start) }
}
