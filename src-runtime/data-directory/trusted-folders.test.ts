import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createTrustedFolders,
  distrustFolder,
  isTrustedFolder,
  readTrustedFolders,
  trustFolder,
} from './trusted-folders.ts'

const rig = () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'wes-trust-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
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

  it('is accessible to its owner only, and leaves no temporary file', () => {
    const { dataDir, one } = rig()
    trustFolder(dataDir, one)
    expect(statSync(join(dataDir, 'trusted-folders.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(dataDir)).toEqual(['trusted-folders.json'])
  })

  it('removes a folder, also one that no longer exists', () => {
    const { dataDir, one, two } = rig()
    for (const folder of [one, two]) trustFolder(dataDir, folder)
    rmSync(one, { recursive: true })
    distrustFolder(dataDir, one)
    expect(readTrustedFolders(dataDir)).toEqual([two])
  })

  it.each(['', '{', '[]', '{"folders":"/"}', '{"folders":[1]}'])(
    'trusts no folder when the file contains %j',
    (text) => {
      const { dataDir, one } = rig()
      writeFileSync(join(dataDir, 'trusted-folders.json'), text)
      expect(isTrustedFolder(dataDir, one)).toBe(false)
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
})
