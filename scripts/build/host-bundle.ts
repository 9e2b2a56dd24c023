// Bundles a Program host into a script, with the code that V8 makes of it. It starts in a quarter of the processor time that
// one of the sources needs.

import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path/posix'
import { build, type Metafile } from 'esbuild'
import { SCRIPT_FILE } from '../../src-runtime/sandbox/host-script.ts'
import { V8_FLAGS } from '../../src-runtime/sandbox/spawn-host.ts'
import { HOST } from '../runtime-files.ts'
import { asScript } from './node-bundles.ts'

const HOST_ENTRY = 'src-runtime/sandbox/start-host-script.ts'
const HOST_FOLDER = dirname(HOST)
const MAKE_HOST_CODE = join(import.meta.dirname.replaceAll('\\', '/'), 'make-host-code.ts')

/** `folder`: that of the build, in which files have the same paths as in the sources. */
export const bundleHost = (folder: string): Promise<readonly { readonly metafile: Metafile }[]> =>
  Promise.all(
    [
      { entry: HOST, file: SCRIPT_FILE },
      { entry: HOST_ENTRY, file: 'host-main.cjs' },
    ].map(async ({ entry, file }) =>
      build({ ...asScript(HOST_FOLDER, 'node24'), entryPoints: [entry], outfile: join(folder, HOST_FOLDER, file) }),
    ),
  )

/** Needs the host's script in the folder, and the files of `filesOfRuntime`. */
export const makeHostCode = (folder: string): void => {
  const flags = [...V8_FLAGS, '--no-warnings']
  const made = spawnSync(process.execPath, [...flags, MAKE_HOST_CODE, join(folder, HOST_FOLDER)], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`V8 has made no code of the Program host: ${made.stderr}`)
}
