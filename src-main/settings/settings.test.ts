import { existsSync, mkdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { Check } from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import {
  DEFAULT_SETTINGS,
  desktopSettings,
  forgetFolder,
  openedFolder,
  readSettings,
  SettingsPatch,
} from './settings.ts'
import { openSettings } from './settings-store.ts'

const log = pino({ level: 'silent' })
const folder = (): string => temporaryFolder('settings')

describe('the settings', () => {
  it('are the defaults for a new user', () => {
    for (const stored of [undefined, null, 1, [], {}]) expect(readSettings(stored)).toEqual(DEFAULT_SETTINGS)
    expect(DEFAULT_SETTINGS.port).toBe(3477)
  })

  it('keep valid members, and drop the others', () => {
    const stored = { theme: 'dark', port: 70_000, keepInTray: 'yes', startMinimised: true, notifyWhen: {}, other: 1 }
    expect(readSettings(stored)).toEqual({ ...DEFAULT_SETTINGS, theme: 'dark', startMinimised: true })
  })

  it('show the page its members', () => {
    for (const own of ['projectFolders', 'runsAtStart', 'updatesCheckedAt']) {
      expect(desktopSettings(DEFAULT_SETTINGS, true)).not.toHaveProperty(own)
    }
    expect(desktopSettings(DEFAULT_SETTINGS, true)).toMatchObject({ theme: 'system', startAtLogin: true })
  })

  it('accept changes of known members only', () => {
    expect(Check(SettingsPatch, { theme: 'light', port: 4000 })).toBe(true)
    expect(Check(SettingsPatch, { checkForUpdates: false, updateChannel: 'beta', startAtLogin: true })).toBe(true)
    expect(Check(SettingsPatch, {})).toBe(true)
    for (const patch of [
      { theme: 'pink' },
      { updateChannel: 'alpha' },
      { updatesCheckedAt: 1 },
      { port: 0 },
      { projectFolders: null },
      { notifyWhen: { failed: true } },
      1,
    ]) {
      expect(Check(SettingsPatch, patch)).toBe(false)
    }
  })
})

describe('the project folders', () => {
  it('have the last opened one first, each once, at most ten', () => {
    let folders = DEFAULT_SETTINGS.projectFolders
    for (let index = 0; index < 12; index += 1) folders = openedFolder(folders, `/p${index}`)
    folders = openedFolder(folders, '/p5')
    expect(folders.current).toBe('/p5')
    expect(folders.recent).toHaveLength(10)
    expect(folders.recent.slice(0, 3)).toEqual(['/p5', '/p11', '/p10'])
  })

  it('have a folder and a link to it once', () => {
    const parent = folder()
    const [real, link] = [join(parent, 'shop'), join(parent, 'link')]
    mkdirSync(real)
    symlinkSync(real, link, 'junction')
    const opened = [real, link].reduce(openedFolder, DEFAULT_SETTINGS.projectFolders)
    expect(opened).toEqual({ current: link, recent: [real] })
    expect(openedFolder(opened, real)).toEqual({ current: real, recent: [real] })
  })

  it('can be removed', () => {
    expect(forgetFolder({ current: '/a', recent: ['/a', '/b'] }, '/a')).toEqual({ current: null, recent: ['/b'] })
    expect(forgetFolder({ current: '/a', recent: ['/a', '/b'] }, '/b')).toEqual({ current: '/a', recent: ['/a'] })
  })
})

describe('the file of the settings', () => {
  it('contains the changes, for its owner only, and listeners are called', () => {
    const file = join(folder(), 'new', 'settings.json')
    const settings = openSettings(file, log)
    const heard: unknown[] = []
    settings.onChange((now, before) => heard.push([before.theme, now.theme]))
    settings.change({ theme: 'dark' })
    expect(heard).toEqual([['system', 'dark']])
    const again = openSettings(file, log)
    expect([again.get(), again.fault]).toEqual([{ ...DEFAULT_SETTINGS, theme: 'dark' }, undefined])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(existsSync(`${file}.new`)).toBe(false)
  })

  it.each(['{"theme":', '7'])('is renamed if it is damaged: %s', (damaged) => {
    const file = join(folder(), 'settings.json')
    writeFileSync(file, damaged)
    const settings = openSettings(file, log)
    expect(settings.get()).toEqual(DEFAULT_SETTINGS)
    expect(settings.fault).toBe(
      `The settings in ${file} are damaged, so the app uses the defaults. The damaged file is kept as ${file}.unreadable.`,
    )
    expect(readFileSync(`${file}.unreadable`, 'utf8')).toBe(damaged)
    settings.change({ theme: 'dark' })
    expect(openSettings(file, log).get().theme).toBe('dark')
  })

  it('stays as it is if it cannot be read, and changes are for this run only', () => {
    const file = join(folder(), 'settings.json')
    // Not even root can read a link to itself.
    symlinkSync(file, file)
    const settings = openSettings(file, log)
    const heard: unknown[] = []
    settings.onChange(({ theme }) => heard.push(theme))
    settings.change({ theme: 'dark' })
    expect([settings.get().theme, heard]).toEqual(['dark', ['dark']])
    expect(settings.fault).toContain('keeps changes for this run only')
    expect(readlinkSync(file)).toBe(file)
    expect(existsSync(`${file}.unreadable`)).toBe(false)
  })

  it('reports a change that cannot be stored, and reverts it', () => {
    const file = join(folder(), 'settings.json')
    const settings = openSettings(file, log)
    mkdirSync(file)
    expect(() => settings.change({ theme: 'dark' })).toThrow(
      /^The settings cannot be stored in .*settings\.json: .*directory/,
    )
    expect(settings.get().theme).toBe('system')
  })
})
