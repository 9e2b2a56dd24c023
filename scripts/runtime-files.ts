// What a build of the runtime consists of besides its modules: found by its place beside them, in the sources as in
// every build. For the desktop app and for the bundle that `wes` runs.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeBootFiles } from '../src-runtime/sandbox/make-host-parts.ts'

/** Processes of their own, and a thread of one. */
export const CHILD_PROCESSES = [
  'src-runtime/sandbox/host-main.ts',
  'src-runtime/source/evaluator-main.ts',
  'src-runtime/effects/effect-host.ts',
  'src-runtime/effects/host/effect-watchdog.ts',
]

/** What every bundle of a Program contains. */
export const SDK = 'src-sdk/index.ts'

/** electron-vite bundles this into its configuration, and keeps the URL alone as it was. */
const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Patterns of what is read. */
export const FILES = ['src-sdk/package.json', 'resources/status-page/**/*.*']
/** What is made from the sources, and those of them that no module imports. */
export const GUEST_SOURCES = 'src-runtime/sandbox/guest/*.js'

/** Everything but modules, by its path in the build. */
export const filesOfRuntime = (): ReadonlyMap<string, Buffer> => {
  const read = globSync(FILES, { cwd: ROOT })
  return new Map([
    ...read.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(ROOT, path))] as const),
    ...[...makeBootFiles()].map(([name, bytes]) => [`src-runtime/sandbox/boot/${name}`, bytes] as const),
  ])
}
