import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makePipe } from '../shared/make-pipe.test-support.ts'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { createSettingsCheck } from './bundler-settings.ts'

it.runIf(process.platform !== 'win32')('a folder whose settings extend a named pipe is refused each time', () => {
  const folder = temporaryFolder('settings')
  const below = join(folder, 'below')
  mkdirSync(below)
  writeFileSync(join(folder, 'tsconfig.json'), '{ "extends": "./base.json" }')
  const check = createSettingsCheck()
  expect(check(join(folder, 'missing'))).toBeUndefined()
  makePipe(join(folder, 'base.json'))
  const again = createSettingsCheck()
  const message = `${join(folder, 'base.json')} is a named pipe, not a file`
  for (const place of [folder, folder, below, join(below, 'missing')]) expect(again(place)).toMatchObject({ message })
})
