// Adds notes of its writes to a function of the engine. Fails on any instruction that it does not know, because that
// one might write.

import { PAGE_SHIFT } from './written-notes.ts'
import { WasmReader, WasmWriter } from './wasm-bytes.ts'

const OP = {
  brTable: 0x0e,
  callIndirect: 0x11,
  selectTyped: 0x1c,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  firstLoad: 0x28,
  lastLoad: 0x35,
  firstStore: 0x36,
  store8: 0x3a,
  lastStore: 0x3e,
  i32Const: 0x41,
  f32Const: 0x43,
  f64Const: 0x44,
  i32Add: 0x6a,
  i32Sub: 0x6b,
  i32ShrU: 0x76,
  prefix: 0xfc,
} as const

/** After the prefix. */
const MEMORY_COPY = 10
const MEMORY_FILL = 11
const LAST_CONVERSION = 7

const [I32, I64, F32, F64] = [0x7f, 0x7e, 0x7d, 0x7c] as const
/** What each store takes, in the order of their codes. */
const STORED = [I32, I64, F32, F64, I32, I32, I64, I64, I64] as const

/** The alignment of a memory access, 2^0, with the flag that says that the index of a memory follows. */
const BYTE_IN_A_MEMORY = 0x40
const NOTES = 1

const [UNKNOWN, PLAIN, NUMBER, ACCESS, OTHER] = [0, 1, 2, 3, 4]
/** What follows each instruction: nothing, one number, or the place of a memory access. */
const FOLLOWS = new Uint8Array(256).fill(UNKNOWN)
/** Control, `drop`, `select`, and everything from comparing to extending. */
for (const op of [0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b, 0xd1]) FOLLOWS[op] = PLAIN
FOLLOWS.fill(PLAIN, 0x45, 0xc5)
/** Blocks, branches, calls, variables, sizes of the memory, constants, references. */
for (const op of [0x02, 0x03, 0x04, 0x0c, 0x0d, 0x10, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2]) FOLLOWS[op] = NUMBER
FOLLOWS.fill(NUMBER, 0x20, 0x25)
FOLLOWS.fill(ACCESS, OP.firstLoad, OP.lastStore + 1)
for (const op of [OP.prefix, OP.brTable, OP.callIndirect, OP.selectTyped, OP.f32Const, OP.f64Const]) FOLLOWS[op] = OTHER

export const noteWritesInFunction = (body: Uint8Array, parameters: number): Uint8Array =>
  new Rewriting(body, parameters).run()

class Rewriting {
  readonly #reader: WasmReader
  readonly #code = new WasmWriter()
  readonly #body: Uint8Array
  /** Types of the variables that are added. */
  readonly #added: number[] = []
  readonly #indexes = new Map<string, number>()
  #locals: number
  /** The body is copied up to here. */
  #copied = 0

  constructor(body: Uint8Array, parameters: number) {
    this.#body = body
    this.#reader = new WasmReader(body)
    this.#locals = parameters
  }

  run(): Uint8Array {
    const reader = this.#reader
    const groups = reader.u32()
    const declaredAt = reader.at
    for (let left = groups; left > 0; left--) {
      this.#locals += reader.u32()
      reader.skip(1)
    }
    const declared = this.#body.subarray(declaredAt, reader.at)
    this.#copied = reader.at
    while (reader.hasMore) this.#instruction()
    this.#copyTo(reader.at)
    const written = new WasmWriter().u32(groups + this.#added.length).add(declared)
    for (const type of this.#added) written.u32(1).byte(type)
    return written.add(this.#code.done()).done()
  }

  #instruction(): void {
    const reader = this.#reader
    const startsAt = reader.at
    const op = reader.byte()
    switch (FOLLOWS[op]) {
      case PLAIN:
        return
      case NUMBER:
        return reader.skipNumber()
      case ACCESS: {
        const alignment = reader.u32()
        if (alignment >= BYTE_IN_A_MEMORY) throw new Error('The engine names a memory')
        const offset = reader.u32()
        if (op > OP.lastLoad) this.#noteStore(startsAt, STORED[op - OP.firstStore] ?? I32, offset)
        return
      }
      case OTHER:
        return this.#other(op, startsAt)
      default:
        throw new Error(`The engine has an unknown instruction: ${op}`)
    }
  }

  #other(op: number, startsAt: number): void {
    const reader = this.#reader
    switch (op) {
      case OP.prefix:
        return this.#prefixed(startsAt)
      case OP.brTable:
        for (let left = reader.u32(); left >= 0; left--) reader.skipNumber()
        return
      case OP.callIndirect:
        reader.skipNumber()
        return reader.skipNumber()
      case OP.selectTyped:
        return reader.skip(reader.u32())
      case OP.f32Const:
        return reader.skip(4)
      case OP.f64Const:
        return reader.skip(8)
    }
  }

  #prefixed(startsAt: number): void {
    const reader = this.#reader
    const op = reader.u32()
    if (op <= LAST_CONVERSION) return
    if (op !== MEMORY_COPY && op !== MEMORY_FILL) throw new Error(`The engine has an unknown instruction: 252 ${op}`)
    const memories = reader.take(op === MEMORY_COPY ? 2 : 1)
    if (memories.some((memory) => memory !== 0)) throw new Error('The engine names a memory')
    this.#noteBulk(startsAt)
  }

  /** The note comes after the store, which traps if its address is outside the memory. */
  #noteStore(startsAt: number, type: number, offset: number): void {
    const [address, value] = [this.#local('address', I32), this.#local('value', type)]
    this.#copyTo(startsAt)
    this.#op(OP.localSet, value).#op(OP.localTee, address).#op(OP.localGet, value)
    this.#copyTo(this.#reader.at)
    this.#op(OP.localGet, address)
    if (offset !== 0) this.#constant(offset).#plain(OP.i32Add)
    this.#toPage().#constant(1).#plain(OP.store8)
    this.#code.byte(BYTE_IN_A_MEMORY).byte(NOTES).byte(0)
  }

  /** Of `memory.copy` and `memory.fill`: notes the pages from the first byte to the one after the last. */
  #noteBulk(startsAt: number): void {
    const [address, value, count] = [this.#local('address', I32), this.#local('value', I32), this.#local('count', I32)]
    this.#copyTo(startsAt)
    this.#op(OP.localSet, count).#op(OP.localSet, value)
    this.#op(OP.localTee, address).#op(OP.localGet, value).#op(OP.localGet, count)
    this.#copyTo(this.#reader.at)
    this.#op(OP.localGet, address).#toPage().#constant(1)
    this.#op(OP.localGet, address).#op(OP.localGet, count).#plain(OP.i32Add).#toPage()
    this.#op(OP.localGet, address).#toPage().#plain(OP.i32Sub).#constant(1).#plain(OP.i32Add)
    this.#plain(OP.prefix)
    this.#code.u32(MEMORY_FILL).byte(NOTES)
  }

  #toPage(): this {
    return this.#constant(PAGE_SHIFT).#plain(OP.i32ShrU)
  }

  #constant(value: number): this {
    this.#code.byte(OP.i32Const).s32(value)
    return this
  }

  #op(op: number, local: number): this {
    this.#code.byte(op).u32(local)
    return this
  }

  #plain(op: number): this {
    this.#code.byte(op)
    return this
  }

  #copyTo(end: number): void {
    this.#code.add(this.#body.subarray(this.#copied, end))
    this.#copied = end
  }

  /** The index of an added variable. */
  #local(name: string, type: number): number {
    const key = `${name} ${type}`
    const known = this.#indexes.get(key)
    if (known !== undefined) return known
    const index = this.#locals + this.#added.push(type) - 1
    this.#indexes.set(key, index)
    return index
  }
}
