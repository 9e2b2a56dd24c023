import { resolve } from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { build } from 'esbuild'
import type { Plugin } from 'vite'
import { listLicences } from './scripts/build/licences.ts'
import { ofProcess, withSqlite } from './scripts/build/node-bundles.ts'
import { CHILD_PROCESSES, filesOfRuntime, SDK, UPGRADE } from './scripts/runtime-files.ts'
import { bundleSdk } from './src-runtime/source/sdk-module.ts'

/** Keeps the sources' layout in the output, so that whatever is found by its place is found there, too. */
const keepPlaces = (): Plugin => ({
  name: 'keep-places',
  generateBundle() {
    for (const [fileName, source] of filesOfRuntime()) this.emitFile({ type: 'asset', fileName, source })
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "module" }\n' })
  },
})

/**
 * Each child process is one file of its own: they must lie outside of a package's archive, and so the modules that main
 * also uses must not be theirs. The user's own Node runs them. The authoring API is one file for esbuild, which gets its text.
 */
const bundleForOthers = (): Plugin => ({
  name: 'bundles-for-others',
  async generateBundle() {
    const { code } = await bundleSdk(resolve(SDK))
    this.emitFile({ type: 'asset', fileName: `${SDK}/index.js`, source: code })
    for (const entry of CHILD_PROCESSES) {
      const options = ofProcess(entry, 'node22')
      // The binary lies beside the archive, too.
      const whole = entry === UPGRADE ? withSqlite(options, '../../../../node_modules') : options
      const { outputFiles } = await build({ ...whole, write: false, outdir: 'out' })
      this.emitFile({ type: 'asset', fileName: entry.replace(/ts$/, 'js'), source: outputFiles[0]!.contents })
    }
  },
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
    plugins: [keepPlaces(), bundleForOthers()],
    build: {
      rolldownOptions: {
        input: ['src-main/main.ts'],
        output: { preserveModules: true, preserveModulesRoot: '.', entryFileNames: '[name].js' },
      },
    },
  },
  // Sandboxed preloads are CommonJS, and one file: they may require nothing but a little of Electron.
  preload: {
    build: {
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: 'src-main/preload/preload.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src-renderer',
    plugins: [react(), tailwind(), absoluteAddresses(), listLicences('assets/licences.json')],
    build: {
      minify: true,
      rolldownOptions: {
        // A whole path, because the development server would look for it below `root`.
        input: resolve('src-renderer/index.html'),
        // What the first screen needs comes in one file, and at once: each further one is another round through the browser.
        output: { codeSplitting: { groups: [{ name: 'first-screen', tags: ['$initial'] }] } },
      },
    },
  },
})
