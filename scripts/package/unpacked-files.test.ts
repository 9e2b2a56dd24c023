import { hash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { CHILD_PROCESSES } from '../runtime-files.ts'
import { listUnpacked } from './unpacked-files.ts'

const HOSTS = CHILD_PROCESSES.map((entry) => `out/main/${entry.replace(/ts$/, 'js')}`)
const BINARIES = [
  'node_modules/better-sqlite3/prebuilds/darwin-arm64.node',
  'node_modules/@oxc-parser/binding-darwin-arm64/parser.node',
  'node_modules/@esbuild/darwin-arm64/bin/esbuild',
]
const OTHERS = ['out/main/package.json', 'out/main/src-runtime/sandbox/boot/quickjs.wasm']

const build = (files: readonly string[]): string => {
  const root = temporaryFolder('unpacked')
  for (const path of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), path)
  }
  return root
}

describe('the files beside the archive', () => {
  it('are listed with their hashes, but those that macOS’s signature will change', () => {
    const root = build([...HOSTS, ...BINARIES, ...OTHERS, 'node_modules/better-sqlite3/prebuilds/linux-x64.node'])
    const hashed = Object.fromEntries([...HOSTS, ...OTHERS].map((path) => [path, hash('sha256', path)]))
    const signed = Object.fromEntries(BINARIES.map((path) => [path, null]))
    expect(listUnpacked(root, 'darwin', 'arm64')).toEqual({ ...hashed, ...signed })
  })

  it('are listed with all hashes elsewhere', () => {
    const linux = BINARIES.map((path) => path.replace('darwin-arm64', 'linux-x64'))
    const root = build([...HOSTS, ...linux, ...OTHERS])
    expect(Object.values(listUnpacked(root, 'linux', 'x64'))).not.toContain(null)
  })

  it('must all exist', () => {
    const root = build([...HOSTS, ...BINARIES])
    expect(() => listUnpacked(root, 'darwin', 'arm64')).toThrow('nothing to package is at out/main/package.json')
  })
})
