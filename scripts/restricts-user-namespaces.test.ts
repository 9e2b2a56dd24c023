import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { restrictsUserNamespaces } from './restricts-user-namespaces.ts'

it('reads whether the system forbids the sandbox to unknown programs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wes-apparmor-'))
  const setting = join(folder, 'setting')
  try {
    expect(restrictsUserNamespaces(setting)).toBe(false)
    for (const [text, restricts] of [
      ['1\n', true],
      ['0\n', false],
    ] as const) {
      writeFileSync(setting, text)
      expect(restrictsUserNamespaces(setting)).toBe(restricts)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
