// The authoring API for bundles: always the compiler's own copy, so that a Program compiles to the same text in every
// project, and matches this runtime.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

export type SdkModule = { readonly version: string; readonly code: string }

/** The path in the sources. A bundled runtime has the built package at the same path. */
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
  // Its comments contain paths of this machine.
  const code = outputFiles[0]!.text.replaceAll(/^\/\/ (?!@__).*$/gm, '')
  return { version, code }
}
