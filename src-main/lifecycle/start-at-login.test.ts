import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { ownCommand, type OwnFacts } from './own-command.ts'
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

it('the app is started by its own file: of an AppImage, not of the one whose terminal started it', () => {
  const packaged: OwnFacts = { env: {}, execPath: '/opt/wes/wes', isPackaged: true, appPath: '/opt/wes/app.asar' }
  expect(ownCommand(packaged)).toEqual(['/opt/wes/wes'])
  const env = { APPIMAGE: '/home/ada/other.AppImage', APPDIR: '/tmp/.mount_other' }
  expect(ownCommand({ ...packaged, env })).toEqual(['/opt/wes/wes'])
  expect(ownCommand({ ...packaged, env, execPath: '/tmp/.mount_other/wes' }, ['--a'])).toEqual([env.APPIMAGE, '--a'])
  const checkout = { ...packaged, execPath: '/c/electron', isPackaged: false, appPath: '/c' }
  expect(ownCommand(checkout, ['--no-sandbox'])).toEqual(['/c/electron', '--no-sandbox', '/c'])
})
