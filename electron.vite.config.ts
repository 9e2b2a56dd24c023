import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'

/** Processes of their own, and a thread of one, which the runtime starts by their place beside its modules. */
const CHILD_PROCESSES = [
  'src-runtime/sandbox/host-main.ts',
  'src-runtime/source/evaluator-main.ts',
  'src-runtime/effects/effect-host.ts',
  'src-runtime/effects/host/effect-watchdog.ts',
]
/** What modules of the runtime read by its place beside them; `npm run build:sdk` makes the client's. */
const FILES = [
  'src-runtime/sandbox/guest/*.js',
  'src-sdk/package.json',
  'src-sdk/dist/*.js',
  'resources/status-page/**/*.*',
]

/** Keeps the sources' layout in the output, so that whatever is found by its place is found there, too. */
const keepPlaces = (): Plugin => ({
  name: 'keep-places',
  generateBundle() {
    for (const fileName of globSync(FILES)) this.emitFile({ type: 'asset', fileName, source: readFileSync(fileName) })
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "module" }\n' })
  },
  // Names of modules in strings: what is started, or may be read by a child process.
  renderChunk: (code, { facadeModuleId }) =>
    code.replace(/"(\.\.?\/[^"\n]+)\.ts"/g, (text, path: string) =>
      facadeModuleId && existsSync(join(dirname(facadeModuleId), `${path}.ts`)) ? `"${path}.js"` : text,
    ),
})

/** The dashboard's routes have several segments. In a build electron-vite makes addresses relative, whatever `base` says. */
const absoluteAddresses = (): Plugin => ({
  name: 'absolute-addresses',
  enforce: 'post',
  config(config) {
    config.base = '/'
  },
})

// `electron-vite build` needs no Electron binary. Packages stay outside of the bundle: better-sqlite3 finds its binary
// beside its own files.
export default defineConfig({
  main: {
    plugins: [keepPlaces()],
    build: {
      rolldownOptions: {
        input: ['src-main/main.ts', ...CHILD_PROCESSES],
        output: { preserveModules: true, preserveModulesRoot: '.', entryFileNames: '[name].js' },
      },
    },
  },
  renderer: {
    root: 'src-renderer',
    plugins: [react(), tailwind(), absoluteAddresses()],
    build: { minify: true, rolldownOptions: { input: 'src-renderer/index.html' } },
  },
})
