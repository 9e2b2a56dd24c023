// The files of a package that lie beside its archive and not in it, because other programs run or read them. Nobody but the
// app itself checks them, so the archive holds their hashes. electron-builder.yml names the same files.

import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { UnpackedFiles } from '../../src-main/unpacked-files.ts'
import { CHILD_PROCESSES } from '../runtime-files.ts'

type Reason =
  /** The system's loader opens it. For macOS it is signed after the archive is closed, which changes it. */
  | 'binary'
  /** Programs run in it, or the user's own Node runs it, which cannot read archives. */
  | 'child process'
  | 'read by a child process'

/** For one platform, as electron-builder names it: `linux-x64`. */
const patterns = (target: string): Readonly<Record<string, Reason>> => ({
  [`node_modules/better-sqlite3/prebuilds/${target}.node`]: 'binary',
  'node_modules/@oxc-parser/*/*.node': 'binary',
  // Runs as a process of its own.
  'node_modules/@esbuild/*/{bin/esbuild,esbuild.exe}': 'binary',
  ...Object.fromEntries(CHILD_PROCESSES.map((entry) => [`out/main/${entry.replace(/ts$/, 'js')}`, 'child process'])),
  // Says that the child processes are ES modules.
  'out/main/package.json': 'read by a child process',
  // The sandbox's WebAssembly and its memory.
  'out/main/src-runtime/sandbox/boot/*': 'read by a child process',
})

export const listUnpacked = (root: string, platform: string, arch: string): UnpackedFiles => {
  const found = Object.entries(patterns(`${platform}-${arch}`)).flatMap(([pattern, reason]) => {
    const files = globSync(pattern, { cwd: root })
    if (files.length === 0) throw new Error(`nothing to package is at ${pattern}`)
    const isSigned = platform === 'darwin' && reason === 'binary'
    return files.map((file) => [file.replaceAll('\\', '/'), isSigned ? null : sha256(join(root, file))] as const)
  })
  return Object.fromEntries(found.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

export const sha256 = (file: string): string => hash('sha256', readFileSync(file))
