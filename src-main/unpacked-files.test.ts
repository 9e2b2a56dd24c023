import { hash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../src-runtime/shared/temporary-folder.test-support.ts'
import { checkUnpacked, UNPACKED_LIST } from './unpacked-files.ts'

const install = (files: Readonly<Record<string, string>>, listed: Readonly<Record<string, string | null>>) => {
  const resources = temporaryFolder('install')
  const write = (path: string, text: string): void => {
    const file = join(resources, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  write(join('app.asar', UNPACKED_LIST), JSON.stringify(listed))
  for (const [path, text] of Object.entries(files)) write(join('app.asar.unpacked', path), text)
  const unpacked = join(resources, 'app.asar.unpacked')
  return { unpacked, check: () => checkUnpacked(join(resources, 'app.asar')) }
}

const A = hash('sha256', 'a')

it('accepts the files of the package', async () => {
  const { check } = install(
    { 'out/a.js': 'a', 'out/signed.node': 'anything' },
    { 'out/a.js': A, 'out/signed.node': null },
  )
  await expect(check()).resolves.toBeUndefined()
})

it('names a file that changed, and says what to do', async () => {
  const { check, unpacked } = install({ 'out/a.js': 'b' }, { 'out/a.js': A })
  await expect(check()).rejects.toThrow(
    `${join(unpacked, 'out/a.js')} changed since Workflow Execution Service was installed. Install it again.`,
  )
})

it('refuses missing files, also those without a hash, and counts them', async () => {
  const { check } = install({}, { 'out/a.js': A, 'out/signed.node': null })
  await expect(check()).rejects.toThrow('a.js and 1 more changed since')
})

it('refuses a package without the list', async () => {
  await expect(checkUnpacked(join(tmpdir(), 'wes-no-such-app'))).rejects.toThrow(UNPACKED_LIST)
})
