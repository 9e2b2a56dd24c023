import { defineConfig } from 'electron-vite'

// `electron-vite build` needs no Electron binary. Packages stay outside of the bundle: better-sqlite3 finds its binary
// beside its own files.
export default defineConfig({
  main: {
    build: {
      rolldownOptions: {
        input: { index: 'src-main/main.ts' },
        // Side by side, so that `import.meta.dirname` means the same folder in all of them.
        output: { chunkFileNames: '[name].js' },
      },
    },
  },
  renderer: {
    root: 'src-renderer',
    build: { rolldownOptions: { input: 'src-renderer/index.html' } },
  },
})
