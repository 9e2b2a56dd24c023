// The part of the WebAssembly interface that the sandbox uses. TypeScript declares it in the DOM library, which this
// project does not include here; Node's types only have its name.

declare namespace WebAssembly {
  type Exports = Record<string, ExportValue>
  type ExportValue = ((...args: never[]) => unknown) | Global | Memory | Table
  type ImportValue = ((...args: never[]) => unknown) | Global | Memory | Table
  type Imports = Record<string, Record<string, ImportValue>>
  type Kind = 'function' | 'table' | 'memory' | 'global'

  class Module {
    constructor(bytes: Uint8Array)
    static imports(module: Module): { readonly module: string; readonly name: string; readonly kind: Kind }[]
    static customSections(module: Module, name: string): ArrayBuffer[]
    #brand: 'Module'
  }
  class Instance {
    constructor(module: Module, imports?: Imports)
    readonly exports: Exports
  }
  class Memory {
    constructor(descriptor: { readonly initial: number; readonly maximum?: number })
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  class Global {
    constructor(descriptor: { readonly value: 'i32'; readonly mutable: boolean }, value: number)
    value: unknown
  }
  class Table {
    readonly length: number
    grow(entries: number): number
    get(index: number): ExportValue
    set(index: number, value: ExportValue): void
  }
  class RuntimeError extends Error {}
}
