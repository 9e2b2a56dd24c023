import type * as Fs from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { DataDirectoryInUseError } from '../shared/runtime.ts'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { ownDirectory } from './own-directory.ts'

const other = vi.hoisted(() => ({ isQuicker: false, isReadOnly: false }))
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof Fs>()
  const writeFileSync: typeof fs.writeFileSync = (...args) => {
    if (other.isQuicker) fs.writeFileSync(args[0], '', { mode: 0o600 })
    fs.writeFileSync(...args)
  }
  const accessSync: typeof fs.accessSync = (...args) => {
    if (other.isReadOnly) throw Object.assign(new Error('EROFS: read-only file system, access'), { code: 'EROFS' })
    fs.accessSync(...args)
  }
  return { ...fs, writeFileSync, accessSync }
})

const folder = () => temporaryFolder('own')

it('owns a directory whose files another process creates at the same moment', () => {
  const directory = folder()
  const own = () =>
    ownDirectory({
      directory,
      files: ['wes.db'],
      privateFiles: [join(directory, 'wes.db')],
      ownerOf: () => ({}),
    })
  other.isQuicker = true
  const release = own()
  other.isQuicker = false
  expect(own).toThrow(DataDirectoryInUseError)
  release()
  own()()
})

it('says which directory it cannot write to, and why, before it opens anything in it', () => {
  const directory = folder()
  const own = () => ownDirectory({ directory, files: [], privateFiles: [], ownerOf: () => ({}) })
  other.isReadOnly = true
  expect(own).toThrow(`${directory} cannot be the data directory: it is on a read-only file system. Choose another one`)
  other.isReadOnly = false
  own()()
})
