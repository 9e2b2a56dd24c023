// Links a WebAssembly shared library of the engine into an instance, in a part of the instance's memory and table. With
// the same link order, everything has the same address in every fresh instance, so an image from one instance runs in
// another.

import type { ExtensionModule } from './engine-files.ts'
import { WasmReader } from './wasm-bytes.ts'

type MainExports = {
  readonly memory: WebAssembly.Memory
  readonly __indirect_function_table: WebAssembly.Table
  readonly __stack_pointer: WebAssembly.Global
  malloc(bytes: number): number
  qjs_get_context_ptr(): number
  qjs_get_runtime_ptr(): number
}

type Callable = (...args: readonly number[]) => number

const MEMORY_INFO = 1

/** `dylink.0`: how much memory and how many table entries the library wants. */
const readSizes = (module: WebAssembly.Module): { readonly memoryBytes: number; readonly tableEntries: number } => {
  const [section] = WebAssembly.Module.customSections(module, 'dylink.0')
  if (section === undefined) throw new Error('An extension of the engine is not a shared library')
  const reader = new WasmReader(new Uint8Array(section))
  while (reader.hasMore) {
    const kind = reader.byte()
    const size = reader.u32()
    if (kind !== MEMORY_INFO) {
      reader.skip(size)
      continue
    }
    const memoryBytes = reader.u32()
    reader.skipNumber()
    return { memoryBytes, tableEntries: reader.u32() }
  }
  return { memoryBytes: 0, tableEntries: 0 }
}

const reserveMemory = (main: MainExports, bytes: number): number => {
  if (bytes === 0) return 0
  const base = main.malloc(bytes)
  if (base === 0) throw new Error('No memory for an extension of the engine')
  new Uint8Array(main.memory.buffer, base, bytes).fill(0)
  return base
}

/** For symbols that a C++ library both imports and exports: forwards calls once the library is instantiated. */
const createForwarder = (name: string): { readonly call: Callable; target: Callable | undefined } => {
  const forwarder = {
    target: undefined as Callable | undefined,
    call: (...args: readonly number[]): number => {
      if (forwarder.target === undefined) throw new Error(`The engine has no function ${name}`)
      return forwarder.target(...args)
    },
  }
  return forwarder
}

/** Initialises the extension unless it is known where its data begins. Returns where that is. */
export const linkExtension = (
  extension: ExtensionModule,
  exports: WebAssembly.Exports,
  notes: WebAssembly.Memory,
  knownBase: number | undefined,
): number => {
  const main = exports as unknown as MainExports
  const sizes = readSizes(extension.module)
  const memoryBase = knownBase ?? reserveMemory(main, sizes.memoryBytes)
  const table = main.__indirect_function_table
  const tableBase = table.length
  table.grow(sizes.tableEntries)

  const forwarders = new Map<string, ReturnType<typeof createForwarder>>()
  const fixed: Record<string, WebAssembly.ImportValue> = {
    memory: main.memory,
    notes,
    __indirect_function_table: table,
    __stack_pointer: main.__stack_pointer,
    __memory_base: new WebAssembly.Global({ value: 'i32', mutable: false }, memoryBase),
    __table_base: new WebAssembly.Global({ value: 'i32', mutable: false }, tableBase),
  }
  const importValue = (from: string, name: string, kind: string): WebAssembly.ImportValue => {
    const known = exports[name]
    if (from === 'GOT.func' && typeof known === 'function') {
      const index = table.grow(1)
      table.set(index, known)
      return new WebAssembly.Global({ value: 'i32', mutable: true }, index)
    }
    if (from !== 'env') return new WebAssembly.Global({ value: 'i32', mutable: true }, 0)
    if (fixed[name] !== undefined) return fixed[name]
    if (known !== undefined) return known
    if (kind === 'global') return new WebAssembly.Global({ value: 'i32', mutable: true }, 0)
    const forwarder = createForwarder(name)
    forwarders.set(name, forwarder)
    return forwarder.call
  }
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {}
  for (const { module: from, name, kind } of WebAssembly.Module.imports(extension.module)) {
    imports[from] ??= {}
    imports[from][name] = importValue(from, name, kind)
  }

  const library = new WebAssembly.Instance(extension.module, imports).exports
  for (const [name, forwarder] of forwarders) {
    const offered = library[name]
    if (typeof offered === 'function') forwarder.target = offered as Callable
  }
  if (knownBase !== undefined) return memoryBase
  const run = (name: string, ...args: readonly number[]): number =>
    typeof library[name] === 'function' ? (library[name] as Callable)(...args) : 0
  run('__wasm_apply_data_relocs')
  run('__wasm_call_ctors')
  const failed = run(extension.initialise, main.qjs_get_context_ptr(), main.qjs_get_runtime_ptr())
  if (failed !== 0) throw new Error(`The engine's extension ${extension.name} did not start: ${failed}`)
  return memoryBase
}
