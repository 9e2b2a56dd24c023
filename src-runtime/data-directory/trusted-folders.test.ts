import { execFile } from 'node:child_process'
import type * as Fs from 'node:fs'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import {
  createTrustedFolders,
  distrustFolder,
  isTrustedFolder,
  readTrustedFolders,
  trustFolder,
} from './trusted-folders.ts'

const disk = vi.hoisted(() => ({ isBusy: false }))
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof Fs>()
  const readFileSync = ((...args: Parameters<typeof fs.readFileSync>) => {
    if (disk.isBusy) throw Object.assign(new Error('EBUSY: resource busy or locked, open'), { code: 'EBUSY' })
    return fs.readFileSync(...args)
  }) as typeof fs.readFileSync
  return { ...fs, readFileSync }
})

const whileBusy = <Result>(act: () => Result): Result => {
  disk.isBusy = true
  try {
    return act()
  } finally {
    disk.isBusy = false
  }
}

const rig = () => {
  const root = realpathSync(temporaryFolder('trust'))
  for (const name of ['data', 'one', 'two']) mkdirSync(join(root, name))
  return { dataDir: join(root, 'data'), one: join(root, 'one'), two: join(root, 'two'), link: join(root, 'link') }
}

describe('the list of trusted folders', () => {
  it('is empty at first, and contains each folder once, by its real path', () => {
    const { dataDir, one, link } = rig()
    expect(readTrustedFolders(dataDir)).toEqual([])
    symlinkSync(one, link)
    trustFolder(dataDir, link)
    trustFolder(dataDir, one)
    expect(readTrustedFolders(dataDir)).toEqual([one])
    expect([isTrustedFolder(dataDir, one), isTrustedFolder(dataDir, link)]).toEqual([true, true])
  })

  it('does not trust parents or subfolders', () => {
    const { dataDir, one } = rig()
    trustFolder(dataDir, one)
    mkdirSync(join(one, 'inner'))
    expect([isTrustedFolder(dataDir, join(one, 'inner')), isTrustedFolder(dataDir, join(one, '..'))]).toEqual([
      false,
      false,
    ])
  })

  it('does not trust the new target of a changed link', () => {
    const { dataDir, one, two, link } = rig()
    symlinkSync(one, link)
    trustFolder(dataDir, link)
    rmSync(link)
    symlinkSync(two, link)
    expect(isTrustedFolder(dataDir, link)).toBe(false)
  })

  it('does not trust a link that replaced a trusted folder', () => {
    const { dataDir, one, two } = rig()
    trustFolder(dataDir, one)
    const isTrusted = createTrustedFolders(dataDir)
    expect(isTrusted(one)).toBe(true)
    rmSync(one, { recursive: true })
    symlinkSync(two, one)
    expect([isTrusted(one), isTrustedFolder(dataDir, one)]).toEqual([false, false])
  })

  it('knows a folder that is not there by where it will be', () => {
    const { dataDir, one, link } = rig()
    symlinkSync(join(one, '..'), link)
    const through = join(link, 'one')
    trustFolder(dataDir, through)
    rmSync(one, { recursive: true })
    expect(isTrustedFolder(dataDir, through)).toBe(true)
    distrustFolder(dataDir, through)
    expect(readTrustedFolders(dataDir)).toEqual([])
  })

  it('loses nothing when several processes change it at once', async () => {
    const { dataDir } = rig()
    const module = pathToFileURL(join(import.meta.dirname, 'trusted-folders.ts')).href
    const ended = Array.from({ length: 4 }, (_, process) => {
      const code = `const { trustFolder } = await import(${JSON.stringify(module)})
        for (let n = 0; n < 25; n++) trustFolder(${JSON.stringify(dataDir)}, '/none/${process}/' + n)`
      return promisify(execFile)(execPath, ['--input-type=module', '--eval', code])
    })
    await Promise.all(ended)
    expect(readTrustedFolders(dataDir)).toHaveLength(100)
  })

  it('is accessible to its owner only, and leaves no temporary file', () => {
    const { dataDir, one } = rig()
    trustFolder(dataDir, one)
    expect(readdirSync(dataDir)).toEqual(['trusted-folders.json', 'trusted-folders.lock'])
    for (const name of readdirSync(dataDir)) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600)
  })

  it('removes a folder, also one that no longer exists', () => {
    const { dataDir, one, two } = rig()
    for (const folder of [one, two]) trustFolder(dataDir, folder)
    rmSync(one, { recursive: true })
    distrustFolder(dataDir, one)
    expect(readTrustedFolders(dataDir)).toEqual([two])
  })

  it.each(['', '{', '[]', '{"folders":"/"}', '{"folders":[1]}'])(
    'trusts no folder when the file contains %j, and keeps it beside the next list',
    (text) => {
      const { dataDir, one } = rig()
      const file = join(dataDir, 'trusted-folders.json')
      writeFileSync(file, text)
      expect(isTrustedFolder(dataDir, one)).toBe(false)
      trustFolder(dataDir, one)
      expect(readTrustedFolders(dataDir)).toEqual([one])
      expect(readFileSync(`${file}.unreadable`, 'utf8')).toBe(text)
    },
  )

  it('trusts no folder, and does not throw, when its file is a link', () => {
    const { dataDir, one } = rig()
    const file = join(dataDir, 'trusted-folders.json')
    symlinkSync(file, file)
    expect(createTrustedFolders(dataDir)(one)).toBe(false)
  })

  it('is read again once another process has changed it', () => {
    const { dataDir, one } = rig()
    const isTrusted = createTrustedFolders(dataDir)
    expect(isTrusted(one)).toBe(false)
    trustFolder(dataDir, one)
    expect(isTrusted(one)).toBe(true)
    distrustFolder(dataDir, one)
    expect(isTrusted(one)).toBe(false)
  })

  it('trusts no folder while it cannot be read, and those in it afterwards', () => {
    const { dataDir, one } = rig()
    trustFolder(dataDir, one)
    const isTrusted = createTrustedFolders(dataDir)
    expect(whileBusy(() => [isTrusted(one), isTrustedFolder(dataDir, one)])).toEqual([false, false])
    expect([isTrusted(one), isTrustedFolder(dataDir, one)]).toEqual([true, true])
  })

  it('is not changed while it cannot be read, and whoever changes it is told', () => {
    const { dataDir, one, two } = rig()
    trustFolder(dataDir, one)
    expect(() => whileBusy(() => trustFolder(dataDir, two))).toThrow('EBUSY')
    expect(() => whileBusy(() => distrustFolder(dataDir, one))).toThrow('EBUSY')
    expect(readTrustedFolders(dataDir)).toEqual([one])
  })
})
