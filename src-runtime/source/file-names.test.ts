// The rules of Windows and of other systems, each tested on any system.

import { posix, win32 } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileNames } from './file-names.ts'

const urlFrom = (base: string, url: string): string => new URL(url, base).href

describe('the names of a project’s files', () => {
  it.each([
    ['C:\\shop\\programs\\a b.ts', 'programs/a b.ts'],
    // The same folder, as another program spells it.
    ['c:\\SHOP\\programs\\a.ts', 'programs/a.ts'],
    ['C:\\lib\\x.ts', '../lib/x.ts'],
    ['D:\\lib\\x.ts', 'D:/lib/x.ts'],
    ['\\\\server\\share\\x.ts', '//server/share/x.ts'],
  ])('on Windows, of %s is %s', (file, name) => {
    const names = fileNames('C:\\shop', win32)
    expect(names.nameOf(file)).toBe(name)
    expect(win32.relative(names.fileOf(name), file)).toBe('')
  })

  it('on Windows, are relative to the root of a drive and to a network share', () => {
    expect(fileNames('P:\\', win32).nameOf('P:\\programs\\a.ts')).toBe('programs/a.ts')
    const shared = fileNames('\\\\server\\share\\shop', win32)
    expect(shared.nameOf('\\\\server\\share\\shop\\programs\\a.ts')).toBe('programs/a.ts')
    expect(shared.fileOf('programs/a.ts')).toBe('\\\\server\\share\\shop\\programs\\a.ts')
  })

  it('on Windows, can be imported and are URLs', () => {
    const { specifierOf, urlOf } = fileNames('C:\\shop', win32)
    const names = ['programs/ä #1?.ts', '../lib/100%.ts', 'D:/lib/x y.ts', '//server/share/x.ts']
    expect(names.map(specifierOf)).toEqual(['./programs/ä #1?.ts', ...names.slice(1)])
    expect(names.map((name) => urlFrom('file:///C:/shop/', urlOf(name)))).toEqual([
      'file:///C:/shop/programs/%C3%A4%20%231%3F.ts',
      'file:///C:/lib/100%25.ts',
      'file:///D:/lib/x%20y.ts',
      'file://server/share/x.ts',
    ])
  })

  it('elsewhere, may contain backslashes and colons', () => {
    const { nameOf, fileOf, specifierOf, urlOf } = fileNames('/shop', posix)
    expect(['/shop/a\\b.ts', '/lib/c:d.ts', '/shop/C:/x.ts'].map(nameOf)).toEqual([
      'a\\b.ts',
      '../lib/c:d.ts',
      'C:/x.ts',
    ])
    expect(fileOf('a\\b.ts')).toBe('/shop/a\\b.ts')
    expect(specifierOf('C:/x.ts')).toBe('./C:/x.ts')
    expect(urlFrom('file:///shop/', urlOf('C:/x.ts'))).toBe('file:///shop/C%3A/x.ts')
  })
})
