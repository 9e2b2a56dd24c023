// The authoring API as bundles get it: always the copy that came with this compiler, so that a Program is compiled to
// the same text whatever is installed where, and finds the runtime that it was made for.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

export type SdkModule = { readonly version: string; readonly code: string }

/** In the sources; beside a bundled runtime, the built package is expected in the place of the sources. */
const FOLDER = join(import.meta.dirname, '../../src-sdk')

let loading: Promise<SdkModule> | undefined

export const loadSdk = (): Promise<SdkModule> => {
  loading ??= read().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

const read = async (): Promise<SdkModule> => {
  const entry = ['index.ts', 'index.js'].map((name) => join(FOLDER, name)).find((file) => existsSync(file))
  if (entry === undefined) throw new Error(`the authoring API is missing from ${FOLDER}`)
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'silent',
  })
  const { version } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as { version: string }
  // Its comments name files of the machine that this runs on.
  const code = outputFiles[0]!.text.replaceAll(/^\/\/ (?!@__).*$/gm, '')
  return { version, code }
}
