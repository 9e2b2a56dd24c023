import { mkdirSync, realpathSync, statSync, symlinkSync } from 'node:fs'
import { join, posix, win32 } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isWithin, realPath } from './real-path.ts'
import { temporaryFolder } from './temporary-folder.test-support.ts'

const folder = (): string => realpathSync.native(temporaryFolder('path'))

describe('the real path of a folder', () => {
  it('is the target of a link', () => {
    const made = folder()
    mkdirSync(join(made, 'target'))
    symlinkSync(join(made, 'target'), join(made, 'link'), 'junction')
    expect(realPath(join(made, 'link'))).toBe(join(made, 'target'))
  })

  it('is one path for all spellings that the disk takes for one folder', ({ skip }) => {
    const made = folder()
    mkdirSync(join(made, 'Größe'))
    const others = ['GRÖSSE', 'größe', 'Größe'.normalize('NFD')].map((name) => join(made, name))
    const same = others.filter((other) => statSync(other, { throwIfNoEntry: false })?.isDirectory() === true)
    // Linux resolves links only, also on a disk that ignores case.
    if (same.length === 0 || process.platform === 'linux') skip('this disk tells all spellings apart')
    expect(same.map((other) => realPath(other))).toEqual(same.map(() => join(made, 'Größe')))
  })

  it('is the one that the system names, and without that the one after its links', () => {
    const byLinks = (path: string) => path
    const ofSystem = () => 'C:\\Shop'
    expect(realPath('c:\\shop', { ofSystem, byLinks })).toBe('C:\\Shop')
    const fails = () => {
      throw Object.assign(new Error('EISDIR: illegal operation on a directory'), { code: 'EISDIR' })
    }
    expect(realPath('R:\\shop', { ofSystem: fails, byLinks })).toBe('R:\\shop')
  })

  it('does not exist for a missing folder', () => {
    expect(() => realPath(join(folder(), 'none'))).toThrow('ENOENT')
  })
})

describe('a path within a folder', () => {
  it.each([
    ['C:\\shop', 'C:\\shop\\a.ts', true],
    ['C:\\shop', 'c:\\SHOP\\a.ts', true],
    ['C:\\', 'C:\\a.ts', true],
    ['\\\\server\\share\\', '\\\\server\\share\\a.ts', true],
    ['C:\\shop', 'C:\\shopping\\a.ts', false],
    ['C:\\shop', 'D:\\shop\\a.ts', false],
    ['C:\\shop', '\\\\server\\shop\\a.ts', false],
    ['C:\\shop', 'C:\\', false],
  ])('on Windows, %s holds %s: %s', (folder, file, expected) => {
    expect(isWithin(folder, file, win32)).toBe(expected)
  })

  it.each([
    ['/shop', '/shop/..a.ts', true],
    ['/shop', '/shop', true],
    ['/', '/a.ts', true],
    ['/shop', '/shopping/a.ts', false],
    ['/shop', '/', false],
  ])('elsewhere, %s holds %s: %s', (folder, file, expected) => {
    expect(isWithin(folder, file, posix)).toBe(expected)
  })
})
