import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { autostartFile, setAutostart } from './start-at-login.ts'

it('is an entry in the autostart folder of a Linux desktop, which can be removed', () => {
  const home = temporaryFolder('login')
  const file = autostartFile(home)
  setAutostart(file, ['/opt/my apps/wes', '100%', 'a"b'])
  expect(readFileSync(file, 'utf8')).toContain('\nExec="/opt/my apps/wes" "100%%" "a\\\\"b"\n')
  setAutostart(file, undefined)
  setAutostart(file, undefined)
  expect(existsSync(file)).toBe(false)
})
