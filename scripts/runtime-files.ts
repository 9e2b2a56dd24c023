// The files of a runtime build besides its modules, with the same relative paths as in the sources. For the desktop app
// and the bundle of `wes`.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeBootFiles } from '../src-runtime/sandbox/make-host-parts.ts'

/** A Program host. */
export const HOST = 'src-runtime/sandbox/host-main.ts'

/** Upgrades a database. */
export const UPGRADE = 'src-runtime/store/upgrade-main.ts'

/** The entry modules of child processes and of worker threads. */
export const CHILD_PROCESSES = [
  HOST,
  UPGRADE,
  'src-runtime/operations/schema-thread-main.ts',
  'src-runtime/source/evaluator-main.ts',
  'src-runtime/source/parser-main.ts',
  'src-runtime/effects/effect-host.ts',
  'src-runtime/effects/host/effect-watchdog.ts',
]

/** Those that only `wes` starts: for artifacts, and of the hosted service. */
export const WES_PROCESSES = [
  'src-runtime/source/try-effects-main.ts',
  'src-runtime/source/try-effects-watchdog.ts',
  'src-hosted/effects/isolated-host.ts',
  'src-hosted/egress/egress-main.ts',
]

/** Part of every bundle of a Program. */
export const SDK = 'src-sdk'

/** electron-vite bundles this module into its configuration, and keeps only this URL unchanged. */
const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Patterns of the files to copy. */
export const FILES = ['src-sdk/package.json', 'resources/status-page/**/*.*']
/** Generated files, and their sources that no module imports. */
export const GUEST_SOURCES = 'src-runtime/sandbox/guest/*.js'

/** All files except modules, by their paths in the build. */
export const filesOfRuntime = (): ReadonlyMap<string, Buffer> => {
  const read = globSync(FILES, { cwd: ROOT })
  return new Map([
    ...read.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(ROOT, path))] as const),
    ...[...makeBootFiles()].map(([name, bytes]) => [`src-runtime/sandbox/boot/${name}`, bytes] as const),
  ])
}
