// The authoring API for bundles: always the compiler's own copy, so that a Program compiles to the same text in every
// project, and matches this runtime.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './call-esbuild.ts'

export type SdkModule = { readonly version: string; readonly code: string }

/** The path in the sources, and in a build. */
const FOLDER = join(import.meta.dirname, '../../src-sdk')

let loading: Promise<SdkModule> | undefined

export const loadSdk = (): Promise<SdkModule> => {
  loading ??= read().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

/** A built runtime reads what the build made: another program, such as esbuild, cannot read the archive of a desktop app. */
const read = async (): Promise<SdkModule> => {
  const built = join(FOLDER, 'index.js')
  const code = existsSync(built) ? readFileSync(built, 'utf8') : (await bundleSdk(FOLDER)).code
  const { version } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as { version: string }
  return { version, code: code + withoutPositions(code) }
}

/**
 * Maps all code to one position. Otherwise each change of the API would move what follows it, and so change the source map,
 * and with it the version, of every Program. No stack shows these positions.
 */
const withoutPositions = (code: string): string => {
  const mappings = code.replaceAll(/[^\n]+/g, '').replaceAll('\n', 'AAAA;')
  return `\n//# sourceMappingURL=data:application/json,{"version":3,"sources":["wes:sdk"],"names":[],"mappings":"${mappings}"}`
}

/** From the sources in the folder; a build has the code as `index.js` in its own. */
export const bundleSdk = async (
  folder: string,
): Promise<{ readonly code: string; readonly inputs: readonly string[] }> => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [join(folder, 'index.ts')],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'silent',
  })
  // Its comments contain paths of this machine.
  const code = outputFiles[0]!.text.replaceAll(/^\/\/ (?!@__).*$/gm, '')
  return { code, inputs: Object.keys(metafile.inputs).map((path) => join(folder, path)) }
}
