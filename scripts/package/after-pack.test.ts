import { hash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { contentFaults, unpackedFaults } from './after-pack.ts'
import { readArchive, type ArchivedFile } from './archive.ts'

const { createPackageWithOptions } = createRequire(import.meta.url)('@electron/asar') as {
  createPackageWithOptions(folder: string, archive: string, options: { readonly unpack: string }): Promise<void>
}

const write = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** An archive of these files, with those in `hosts` beside it. */
const pack = async (files: Readonly<Record<string, string>>) => {
  const folder = temporaryFolder('archive')
  for (const [path, text] of Object.entries(files)) write(join(folder, 'app', path), text)
  const archive = join(folder, 'app.asar')
  await createPackageWithOptions(join(folder, 'app'), archive, { unpack: '**/hosts/*' })
  return { archived: readArchive(archive), unpacked: `${archive}.unpacked` }
}

const A = hash('sha256', 'a')

describe('an archive', () => {
  it('is read with the sizes, hashes and places of its files', async () => {
    const { archived } = await pack({ 'main.js': 'abc', 'hosts/a.js': 'a' })
    expect(archived.toSorted((one, other) => one.bytes - other.bytes)).toEqual([
      { path: 'hosts/a.js', bytes: 1, sha256: A, isUnpacked: true },
      { path: 'main.js', bytes: 3, sha256: hash('sha256', 'abc'), isUnpacked: false },
    ])
  })
})

describe('the files beside the archive', () => {
  it('are right if the archive has the hash of each', async () => {
    const { archived, unpacked } = await pack({ 'main.js': '', 'hosts/a.js': 'a', 'hosts/b.node': 'b' })
    expect(unpackedFaults(unpacked, archived, { 'hosts/a.js': A, 'hosts/b.node': null })).toEqual([])
  })

  it('are refused without a hash, with another one, and if one is missing', async () => {
    const { archived, unpacked } = await pack({ 'hosts/a.js': 'a', 'hosts/b.js': 'b' })
    write(join(unpacked, 'hosts/c.js'), 'c')
    const listed = { 'hosts/b.js': A, 'hosts/c.js': hash('sha256', 'c'), 'hosts/d.js': null }
    expect(unpackedFaults(unpacked, archived, listed)).toEqual([
      'hosts/a.js is beside the archive, which lacks its hash',
      "hosts/c.js is not in the archive's header",
      'hosts/b.js changed while it was packed',
      'hosts/d.js is missing beside the archive',
    ])
  })
})

describe('the content', () => {
  const archived = (...paths: readonly string[]): readonly ArchivedFile[] =>
    paths.map((path) => ({ path, bytes: 1, sha256: A, isUnpacked: false }))

  it('is refused if it lacks a file, or has a package that nothing loads', () => {
    const packed = archived(
      'out/main/main.js',
      'node_modules/pg/index.js',
      'node_modules/@esbuild/linux-x64/bin/esbuild',
    )
    expect(contentFaults(packed, ['out/main/main.js', 'node_modules/fastify/fastify.js'])).toEqual([
      'node_modules/fastify/fastify.js is needed and not packaged',
      'nothing in the app loads the package pg',
    ])
    expect(contentFaults(packed, ['out/main/main.js', 'node_modules/pg/index.js'])).toEqual([])
  })
})
