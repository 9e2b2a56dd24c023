// The engine: QuickJS as WebAssembly and three of its extensions, pinned by hash. Another build could lay memory out
// differently, or count its interrupts otherwise.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export type EngineModules = {
  readonly quickjs: WebAssembly.Module
  /** In the order in which they are linked. */
  readonly extensions: readonly ExtensionModule[]
}

export type ExtensionModule = {
  readonly name: string
  readonly initialise: string
  readonly module: WebAssembly.Module
}

const QUICKJS = { file: 'quickjs.wasm', sha256: 'd4c9375f2b1ca4dc95f72c8aa2982a7a9951ac8011490d79c6582df732b4bbd9' }

const EXTENSIONS = [
  {
    name: 'encoding',
    file: 'encoding.so',
    initialise: 'qjs_ext_encoding_init',
    sha256: 'd501aa2a8410ee07c196103f0d169b226ec61c922883713510fd723fe14036c3',
  },
  {
    name: 'structured-clone',
    file: 'structured-clone.so',
    initialise: 'qjs_ext_structured_clone_init',
    sha256: '0ac5a36c0545c659ba6f9f8de5af11862df84546d151d0f15ec5184c95fd6cb3',
  },
  {
    name: 'url',
    file: 'url.so',
    initialise: 'qjs_ext_url_init',
    sha256: 'af780a79f1fb131b5e6fa1d6fedc481e265420cf2f254fe966255230f4c1bc62',
  },
] as const

const readPinned = ({ file, sha256 }: { readonly file: string; readonly sha256: string }): WebAssembly.Module => {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve(`quickjs-wasi/${file}`)))
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== sha256) throw new Error(`${file} of quickjs-wasi is not the pinned build: ${found}, not ${sha256}`)
  return new WebAssembly.Module(bytes)
}

export const loadEngine = (): EngineModules => ({
  quickjs: readPinned(QUICKJS),
  extensions: EXTENSIONS.map(({ name, initialise, ...file }) => ({ name, initialise, module: readPinned(file) })),
})
