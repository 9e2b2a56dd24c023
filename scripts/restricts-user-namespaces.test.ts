import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../src-runtime/shared/temporary-folder.test-support.ts'
import { restrictsUserNamespaces } from './restricts-user-namespaces.ts'

it('reads whether the system forbids the sandbox to unknown programs', () => {
  const folder = temporaryFolder('apparmor')
  const setting = join(folder, 'setting')
  expect(restrictsUserNamespaces(setting)).toBe(false)
  for (const [text, restricts] of [
    ['1\n', true],
    ['0\n', false],
  ] as const) {
    writeFileSync(setting, text)
    expect(restrictsUserNamespaces(setting)).toBe(restricts)
  }
})
