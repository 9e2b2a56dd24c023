// Which files of the build and of packages the desktop app's main process loads, as far as its code names them.

import { build } from 'esbuild'

const ENTRY = 'out/main/src-main/main.js'

/** Relative to the root. Nothing is written. */
export const neededFiles = async (root: string): Promise<readonly string[]> => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    metafile: true,
    outdir: 'out',
    splitting: true,
    format: 'esm',
    platform: 'node',
    // `debug` does without the last one.
    external: ['electron', '*.node', 'supports-color'],
    logLevel: 'silent',
  })
  return Object.keys(metafile.inputs).filter((path) => !path.startsWith('<') && !path.startsWith('('))
}
