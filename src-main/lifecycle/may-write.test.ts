import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { expectTemporaryFiles, expectWritable } from './may-write.ts'

it('a folder that can be written to, or made, passes and stays as it was', () => {
  const folder = join(temporaryFolder('may-write'), 'new')
  expectWritable(folder)
  expect(readdirSync(folder)).toEqual([])
})

it('one that cannot is named, with the reason', () => {
  const file = join(temporaryFolder('may-write'), 'file')
  writeFileSync(file, '')
  expect(() => expectWritable(file)).toThrow(`The app must be able to write to its folder ${file}: E`)
})

it('the folder for temporary files is named, and not made', () => {
  const folder = temporaryFolder('may-write')
  expectTemporaryFiles(folder)
  expect(readdirSync(folder)).toEqual([])
  const missing = join(folder, 'tmp')
  expect(() => expectTemporaryFiles(missing)).toThrow(
    `The app must be able to write to the folder for temporary files ${missing}: ENOENT`,
  )
  expect(existsSync(missing)).toBe(false)
})

it.skipIf(process.platform === 'win32')('a link that another user left there is not written through', () => {
  const folder = temporaryFolder('may-write')
  const target = join(temporaryFolder('may-write-target'), 'file')
  writeFileSync(target, 'kept')
  symlinkSync(target, join(folder, `.try-${process.pid}`))
  expectTemporaryFiles(folder)
  expect([readFileSync(target, 'utf8'), readdirSync(folder)]).toEqual(['kept', [`.try-${process.pid}`]])
})
