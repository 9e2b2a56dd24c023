import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { recordDiskCalls } from '../../src-runtime/shared/disk-calls.test-support.ts'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { ownCommand, type OwnFacts } from './own-command.ts'
import {
  autostartFile,
  isAutostarted,
  quotedOnWindows,
  renewAutostart,
  setAutostart,
  willOpen,
} from './start-at-login.ts'

it('is an entry in the autostart folder of a Linux desktop, which can be removed', () => {
  const home = temporaryFolder('login')
  const file = autostartFile(home)
  const calls = recordDiskCalls()
  setAutostart(file, ['/opt/my apps/wes', '100%', 'a"b'])
  expect(readFileSync(file, 'utf8')).toContain('\nExec="/opt/my apps/wes" "100%%" "a\\\\"b"\n')
  // It has its content after a loss of power, too.
  expect(calls.indexOf(`flush ${basename(file)}.draft`)).toBe(calls.indexOf(`name ${basename(file)}`) - 1)
  expect(calls).toContain(`name ${basename(file)}`)
  setAutostart(file, undefined)
  setAutostart(file, undefined)
  expect(existsSync(file)).toBe(false)
})

it('is off where the desktop has turned its entry off or removed it, and stays so', () => {
  const file = autostartFile(temporaryFolder('login'))
  expect(isAutostarted(file)).toBe(false)
  setAutostart(file, ['/opt/wes'])
  expect(isAutostarted(file)).toBe(true)
  expect(readdirSync(join(file, '..'))).toHaveLength(1)
  const entry = readFileSync(file, 'utf8')
  for (const line of ['Hidden=true', 'X-GNOME-Autostart-enabled=false']) {
    writeFileSync(file, `${entry}${line}\n`)
    expect(isAutostarted(file)).toBe(false)
    renewAutostart(file, ['/opt/other'])
    expect(readFileSync(file, 'utf8')).toContain('"/opt/wes"')
  }
  setAutostart(file, ['/opt/wes'])
  expect(isAutostarted(file)).toBe(true)
})

it('starts the app where it is now, and keeps an entry that does', () => {
  const file = autostartFile(temporaryFolder('login'))
  renewAutostart(file, ['/apps/wes.AppImage'])
  expect(existsSync(file)).toBe(false)
  setAutostart(file, ['/downloads/wes.AppImage'])
  renewAutostart(file, ['/apps/wes.AppImage'])
  expect(readFileSync(file, 'utf8')).toContain('\nExec="/apps/wes.AppImage"\n')
  const delayed = `${readFileSync(file, 'utf8')}X-GNOME-Autostart-Delay=9\n`
  writeFileSync(file, delayed)
  renewAutostart(file, ['/apps/wes.AppImage'])
  expect(readFileSync(file, 'utf8')).toBe(delayed)
})

it('is found on Windows though there are spaces in the path of the app', () => {
  const path = String.raw`C:\Users\Ada\AppData\Local\Programs\wes\Workflow Execution Service.exe`
  expect([quotedOnWindows(path, 'win32'), quotedOnWindows('/a b', 'darwin')]).toEqual([`"${path}"`, '/a b'])
})

it('is off where Windows has turned the app off, though it is set to start', () => {
  const set = { openAtLogin: true, executableWillLaunchAtLogin: false }
  expect(willOpen(set, 'win32')).toBe(false)
  expect(willOpen({ ...set, executableWillLaunchAtLogin: true }, 'win32')).toBe(true)
  expect(willOpen(set, 'darwin')).toBe(true)
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
