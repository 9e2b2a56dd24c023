// Makes the engine tell each time that it refuses memory. What it throws then can be caught, or rejects a promise that
// nobody awaits. All its memory comes from three functions in its table, which are wrapped.

import { MEMORY_FUNCTIONS } from './engine-files.ts'
import { WasmWriter } from './wasm-bytes.ts'

const HEADER = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)
const [TYPES, IMPORTS, FUNCTIONS, EXPORTS, CODE] = [1, 2, 3, 7, 10] as const
const I32 = 0x7f
const FUNCTION_TYPE = 0x60
const FUNCTION = 0
const OP = { if: 0x04, end: 0x0b, call: 0x10, localGet: 0x20, localTee: 0x22, i32Eqz: 0x45 } as const
const NO_RESULT = 0x40
const MODULE = 'engine'
const REFUSED = 'refused'

/** Those that are wrapped, in the order in which they are imported and exported. */
const wrapped = Object.entries(MEMORY_FUNCTIONS).map(([name, { at, parameters }]) => ({ name, at, parameters }))

const numbers = (count: number): Uint8Array => new Uint8Array(count).fill(I32)

const functionType = (parameters: number, results: number): Uint8Array =>
  new WasmWriter().byte(FUNCTION_TYPE).sized(numbers(parameters)).sized(numbers(results)).done()

const functionImport = (name: string, type: number): Uint8Array =>
  new WasmWriter().text(MODULE).text(name).byte(FUNCTION).u32(type).done()

const functionExport = (name: string, index: number): Uint8Array =>
  new WasmWriter().text(name).byte(FUNCTION).u32(index).done()

/** Calls the function that it wraps, and the last import if that returns 0. */
const wrapper = (index: number, parameters: number): Uint8Array => {
  const result = parameters
  const code = new WasmWriter().u32(1).u32(1).byte(I32)
  for (let local = 0; local < parameters; local++) code.byte(OP.localGet).u32(local)
  code.byte(OP.call).u32(index).byte(OP.localTee).u32(result).byte(OP.i32Eqz)
  code.byte(OP.if).byte(NO_RESULT).byte(OP.call).u32(wrapped.length).byte(OP.end)
  code.byte(OP.localGet).u32(result).byte(OP.end)
  return new WasmWriter().sized(code.done()).done()
}

const SECTIONS: readonly (readonly [id: number, items: readonly Uint8Array[]])[] = [
  [TYPES, [...wrapped.map(({ parameters }) => functionType(parameters, 1)), functionType(0, 0)]],
  [IMPORTS, [...wrapped.map(({ name }) => name), REFUSED].map(functionImport)],
  [FUNCTIONS, wrapped.map((_, type) => Uint8Array.of(type))],
  [EXPORTS, wrapped.map(({ name }, index) => functionExport(name, wrapped.length + 1 + index))],
  [CODE, wrapped.map(({ parameters }, index) => wrapper(index, parameters))],
]

const makeModule = (): WebAssembly.Module => {
  const bytes = new WasmWriter().add(HEADER)
  for (const [id, items] of SECTIONS) {
    const content = new WasmWriter().u32(items.length)
    for (const item of items) content.add(item)
    bytes.byte(id).sized(content.done())
  }
  return new WebAssembly.Module(bytes.done())
}

const wrappers = makeModule()

export const tellRefusals = (table: WebAssembly.Table, onRefusal: () => void): void => {
  const originals = wrapped.map(({ name, at }) => [name, table.get(at)] as const)
  const imports = { [MODULE]: { ...Object.fromEntries(originals), [REFUSED]: onRefusal } }
  const { exports } = new WebAssembly.Instance(wrappers, imports)
  for (const { name, at } of wrapped) {
    const found = exports[name]
    if (found !== undefined) table.set(at, found)
  }
}
