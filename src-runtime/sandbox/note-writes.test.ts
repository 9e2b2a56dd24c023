import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PAGE_BYTES } from './limits.ts'
import { noteWrites } from './note-writes.ts'
import { WasmWriter } from './wasm-bytes.ts'
import { createNotes, WrittenPages } from './written-notes.ts'

const [I32, I64, F32, F64] = [0x7f, 0x7e, 0x7d, 0x7c]
const MEMORY_PAGES = 2
const MEMORY_BYTES = MEMORY_PAGES * 64 * 1024
/** Code, type of the value, and bytes of each store; at an offset of its own. */
const STORES = [
  [0x36, I32, 4, 0],
  [0x37, I64, 8, 1],
  [0x38, F32, 4, 4095],
  [0x39, F64, 8, 4089],
  [0x3a, I32, 1, 0],
  [0x3b, I32, 2, 130],
  [0x3c, I64, 1, 7],
  [0x3d, I64, 2, 0],
  [0x3e, I64, 4, 65_536],
] as const
const COPY = [0xfc, 10, 0, 0]
const FILL = [0xfc, 11, 0]
const END = 0x0b
const getLocals = (count: number) => Array.from({ length: count }, (_, index) => [0x20, index]).flat()

const list = (items: readonly Uint8Array[]): Uint8Array => {
  const writer = new WasmWriter().u32(items.length)
  for (const item of items) writer.add(item)
  return writer.done()
}

/** A module that defines or imports its memory, and has a function for each of these bodies. */
const moduleOf = (
  functions: readonly { readonly name: string; readonly types: readonly number[]; readonly body: readonly number[] }[],
  { isLibrary = false } = {},
): Uint8Array => {
  const memory = Uint8Array.of(0, MEMORY_PAGES)
  const imported = new WasmWriter().text('env').text('memory').byte(2).add(memory).done()
  const sections: readonly (readonly [number, Uint8Array])[] = [
    [1, list(functions.map(({ types }) => Uint8Array.of(0x60, types.length, ...types, 0)))],
    [2, list(isLibrary ? [imported] : [])],
    [3, list(functions.map((_, index) => Uint8Array.of(index)))],
    ...(isLibrary ? [] : [[5, list([memory])] as const]),
    [7, list(functions.map(({ name }, index) => new WasmWriter().text(name).byte(0).u32(index).done()))],
    [10, list(functions.map(({ body }) => new WasmWriter().sized(Uint8Array.of(0, ...body, END)).done()))],
  ]
  const writer = new WasmWriter().add(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0))
  for (const [id, content] of sections) writer.byte(id).sized(content)
  return writer.done()
}

const storeFunctions = STORES.map(([op, type, , offset]) => ({
  name: `store ${op}`,
  types: [I32, type],
  body: [...getLocals(2), op, 0, ...new WasmWriter().u32(offset).done()],
}))
const BULK = [
  { name: 'copy', types: [I32, I32, I32], body: [...getLocals(3), ...COPY] },
  { name: 'fill', types: [I32, I32, I32], body: [...getLocals(3), ...FILL] },
]

const rig = (isLibrary: boolean) => {
  const notes = createNotes()
  const memory = new WebAssembly.Memory({ initial: MEMORY_PAGES })
  const module = new WebAssembly.Module(noteWrites(moduleOf([...storeFunctions, ...BULK], { isLibrary })))
  const { exports } = new WebAssembly.Instance(module, { env: { memory, notes: notes.memory } })
  const call = (name: string, ...args: readonly (number | bigint)[]) =>
    (exports[name] as (...args: readonly (number | bigint)[]) => void)(...args)
  const written = new WrittenPages(notes, () => memory.buffer.byteLength)
  written.follow()
  return { call, notes, bytes: Buffer.from(memory.buffer), written }
}

const address = fc.oneof(
  fc.nat(MEMORY_BYTES + 10),
  // Around the ends of pages.
  fc
    .tuple(fc.nat(MEMORY_BYTES / PAGE_BYTES), fc.integer({ min: -9, max: 9 }))
    .map(([page, by]) => page * PAGE_BYTES + by),
)

describe.each([
  ['an engine', false],
  ['an extension', true],
] as const)('the rewritten code of %s', (_, isLibrary) => {
  test('notes the page of every store, wherever it begins', () => {
    const { call, bytes, written } = rig(isLibrary)
    fc.assert(
      fc.property(fc.constantFrom(...STORES), address, ([op, type, size, offset], at) => {
        bytes.fill(0)
        const value = type === I64 ? -1n : type === I32 ? -1 : 1e300
        const begin = (at >>> 0) + offset
        const isInside = at >= 0 && begin + size <= MEMORY_BYTES
        if (isInside) call(`store ${op}`, at, value)
        else expect(() => call(`store ${op}`, at, value)).toThrow(WebAssembly.RuntimeError)
        expect(bytes.some((byte) => byte !== 0)).toBe(isInside)
        expect([...written.take()]).toEqual(isInside ? [Math.floor(begin / PAGE_BYTES)] : [])
      }),
      { numRuns: 500 },
    )
  })

  test('notes every page that a copy or fill changes', () => {
    const { call, bytes, written } = rig(isLibrary)
    fc.assert(
      fc.property(fc.boolean(), address, fc.nat(20_000), (isCopy, at, count) => {
        const from = at < 65_536 ? MEMORY_BYTES - count : 0
        bytes.fill(7)
        if (isCopy) bytes.fill(9, from, from + count)
        const before = Buffer.from(bytes)
        const run = () => (isCopy ? call('copy', at, from, count) : call('fill', at, 9, count))
        if (at >= 0 && at + count <= MEMORY_BYTES) run()
        else expect(run).toThrow(WebAssembly.RuntimeError)
        const noted = new Set(written.take())
        for (let page = 0; page < MEMORY_BYTES / PAGE_BYTES; page++) {
          const [start, end] = [page * PAGE_BYTES, (page + 1) * PAGE_BYTES]
          if (!bytes.subarray(start, end).equals(before.subarray(start, end))) expect(noted).toContain(page)
        }
        expect(noted.size).toBeLessThanOrEqual(count / PAGE_BYTES + 2)
      }),
      { numRuns: 300 },
    )
  })

  test('cannot write the notes', () => {
    const { call, notes } = rig(isLibrary)
    call('store 54', 70_000, 1)
    call('fill', 0, 0, MEMORY_BYTES)
    for (let at = 0; at + 4 <= MEMORY_BYTES; at += 4) call('store 54', at, 0)
    expect(notes.bytes[(70_000 / PAGE_BYTES) | 0]).toBe(1)
  })
})

test('notes of two machines are kept apart', () => {
  const notes = createNotes()
  const [left, right] = [new WrittenPages(notes, () => MEMORY_BYTES), new WrittenPages(notes, () => MEMORY_BYTES)]
  left.follow()
  notes.bytes[3] = 1
  right.follow()
  notes.bytes[4] = 1
  right.add(5 * PAGE_BYTES - 1, 2)
  left.follow()
  notes.bytes[20] = 1
  expect([...right.take()]).toEqual([4, 5])
  expect([[...left.take()], [...left.take()]]).toEqual([[3, 20], []])
})

test('notes of the largest possible memory are found', () => {
  const notes = createNotes()
  const written = new WrittenPages(notes, () => 2 ** 32)
  written.follow()
  const last = notes.bytes.length - 1
  for (const page of [0, 300, last]) notes.bytes[page] = 1
  expect([[...written.take()], [...written.take()]]).toEqual([[0, 300, last], []])
})

describe('code is refused', () => {
  const V128_STORE = [0xfd, 0x0b, 0, 0]
  const ATOMIC_STORE = [0xfe, 0x17, 2, 0]
  test.each([
    ['with an unknown instruction', V128_STORE, 'unknown instruction: 253'],
    ['with an unknown instruction', ATOMIC_STORE, 'unknown instruction: 254'],
    ['with an unknown instruction', [0xfc, 8, 0, 0], 'unknown instruction: 252 8'],
    ['that changes a table', [0x26, 0], 'unknown instruction: 38'],
    ['that names a memory', [0x36, 0x42, 1, 0], 'names a memory'],
    ['that names a memory', [0xfc, 11, 1], 'names a memory'],
  ])('%s', (_, instruction, message) => {
    const module = moduleOf([{ name: 'f', types: [], body: instruction }])
    expect(() => noteWrites(module)).toThrow(message)
  })
})
