// The engine: QuickJS as WebAssembly and two extensions, pinned by hash, because another build could have another
// memory layout or count interrupts differently.

import type { Pointer } from './machine.ts'
import { createNotes, type WrittenNotes } from './written-notes.ts'

export type EngineModules = {
  readonly quickjs: WebAssembly.Module
  readonly notes: WrittenNotes
  /** In link order. */
  readonly extensions: readonly ExtensionModule[]
  /** If given, machines are not initialised: before one runs, a template must be written to its memory. */
  readonly initialised?: InitialisedMemory
}

/** What is the same in every template. */
export type InitialisedMemory = {
  /** The least size of the memory. */
  readonly memoryBytes: number
  /** Where the extensions' data begins, in link order. */
  readonly extensionsAt: readonly Pointer[]
}

export type ExtensionModule = {
  readonly name: string
  readonly initialise: string
  readonly module: WebAssembly.Module
}

export type EngineFile = { readonly file: string; readonly sha256: string }

const QUICKJS: EngineFile = {
  file: 'quickjs.wasm',
  sha256: 'd4c9375f2b1ca4dc95f72c8aa2982a7a9951ac8011490d79c6582df732b4bbd9',
}

const EXTENSIONS = [
  {
    name: 'encoding',
    file: 'encoding.so',
    initialise: 'qjs_ext_encoding_init',
    sha256: 'd501aa2a8410ee07c196103f0d169b226ec61c922883713510fd723fe14036c3',
  },
  {
    name: 'url',
    file: 'url.so',
    initialise: 'qjs_ext_url_init',
    sha256: 'af780a79f1fb131b5e6fa1d6fedc481e265420cf2f254fe966255230f4c1bc62',
  },
] as const

/** Where the functions that give the engine its memory are in its table. They return 0 if they refuse it. */
export const MEMORY_FUNCTIONS = {
  calloc: { at: 524, parameters: 3 },
  malloc: { at: 525, parameters: 2 },
  realloc: { at: 527, parameters: 3 },
} as const

/** Where the engine's context counts down to its next poll. */
export const INTERRUPT_COUNTER_AT = 292

export const ENGINE_FILES: readonly EngineFile[] = [QUICKJS, ...EXTENSIONS]

/** `read` returns the files as `noteWrites` makes them. */
export const compileEngine = (read: (file: EngineFile) => Buffer<ArrayBuffer>): EngineModules => ({
  quickjs: new WebAssembly.Module(read(QUICKJS)),
  notes: createNotes(),
  extensions: EXTENSIONS.map((extension) => {
    const { name, initialise } = extension
    return { name, initialise, module: new WebAssembly.Module(read(extension)) }
  }),
})
