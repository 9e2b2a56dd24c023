import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { watchReplacement } from './replaced-app.ts'

it('another file in the place of the app’s executable is noticed, and one that is gone is not', () => {
  const file = join(temporaryFolder('replaced'), 'app')
  writeFileSync(file, 'version 1')
  const isReplaced = watchReplacement(file)
  expect(isReplaced()).toBe(false)
  rmSync(file)
  expect(isReplaced()).toBe(false)
  // As package managers do.
  writeFileSync(`${file}.new`, 'version 2')
  renameSync(`${file}.new`, file)
  expect(isReplaced()).toBe(true)
})

it('an executable that cannot be read is never replaced', () => {
  const file = join(temporaryFolder('replaced'), 'app')
  const isReplaced = watchReplacement(file)
  writeFileSync(file, 'version 2')
  expect(isReplaced()).toBe(false)
})
