import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { optionsAgain } from '../lifecycle/own-command.ts'
import { replaceAppImage } from './app-image-install.ts'

const folder = (where = tmpdir()): string => {
  const made = mkdtempSync(join(where, 'wes-app-image-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const placed = (at: string, name: string, content: string): string => {
  const file = join(at, name)
  writeFileSync(file, content, { mode: 0o755 })
  return file
}

const OTHER_DISK = '/dev/shm'
const hasOtherDisk = existsSync(OTHER_DISK) && statSync(OTHER_DISK).dev !== statSync(tmpdir()).dev

describe.skipIf(process.platform === 'win32')('an AppImage', () => {
  it('takes the place of the old one', () => {
    const apps = folder()
    const old = placed(apps, 'wes.AppImage', 'old')
    const downloaded = placed(folder(), 'wes-0.2.0.AppImage', 'new')
    expect(replaceAppImage(old, downloaded)).toBe(old)
    expect(readFileSync(old, 'utf8')).toBe('new')
    expect(readdirSync(apps)).toEqual(['wes.AppImage'])
    expect(existsSync(downloaded)).toBe(false)
  })

  it('keeps the version in its name, if the old one has it', () => {
    const apps = folder()
    const old = placed(apps, 'wes-0.1.0.AppImage', 'old')
    expect(replaceAppImage(old, placed(folder(), 'wes-0.2.0.AppImage', 'new'))).toBe(join(apps, 'wes-0.2.0.AppImage'))
    expect(readdirSync(apps)).toEqual(['wes-0.2.0.AppImage'])
  })

  it.skipIf(!hasOtherDisk)('may come from another disk', () => {
    const apps = folder(OTHER_DISK)
    const old = placed(apps, 'wes.AppImage', 'old')
    const downloaded = placed(folder(), 'wes-0.2.0.AppImage', 'new')
    replaceAppImage(old, downloaded)
    expect(readFileSync(old, 'utf8')).toBe('new')
    expect(statSync(old).mode & 0o777).toBe(0o755)
    expect(readdirSync(apps)).toEqual(['wes.AppImage'])
    expect(existsSync(downloaded)).toBe(false)
  })

  it.each(['wes.AppImage', 'wes-0.1.0.AppImage'])('leaves the old %s where the new one cannot be moved', (name) => {
    const apps = folder()
    const old = placed(apps, name, 'old')
    expect(() => replaceAppImage(old, join(apps, 'removed', 'wes-0.2.0.AppImage'))).toThrow('ENOENT')
    expect(readFileSync(old, 'utf8')).toBe('old')
    expect(readdirSync(apps)).toEqual([name])
  })
})

it('is started with the same options, and without links and files', () => {
  const argv = [
    '/tmp/.mount_wes/wes',
    '--no-sandbox',
    '-r',
    'wes://executions/exe_1',
    '--ozone-platform=wayland',
    'a.wesrun',
  ]
  expect(optionsAgain(argv)).toEqual(['--no-sandbox', '--ozone-platform=wayland'])
})
