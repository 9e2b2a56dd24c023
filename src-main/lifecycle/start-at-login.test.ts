import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { autostartFile, setAutostart } from './start-at-login.ts'

it('is an entry in the autostart folder of a Linux desktop, which can be removed', () => {
  const home = mkdtempSync(join(tmpdir(), 'wes-login-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const file = autostartFile(home)
  setAutostart(file, ['/opt/my apps/wes', '100%', 'a"b'])
  expect(readFileSync(file, 'utf8')).toContain('\nExec="/opt/my apps/wes" "100%%" "a\\\\"b"\n')
  setAutostart(file, undefined)
  setAutostart(file, undefined)
  expect(existsSync(file)).toBe(false)
})
