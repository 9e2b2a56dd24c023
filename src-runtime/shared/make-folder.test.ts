import { statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder } from './make-folder.ts'
import { temporaryFolder } from './temporary-folder.test-support.ts'

const rig = (): string => temporaryFolder('make')

describe('making a folder', () => {
  it('makes those above it as well, and leaves alone what exists', () => {
    const folder = join(rig(), 'a', 'b')
    makeFolder(folder, 0o700)
    writeFileSync(join(folder, 'file'), '')
    makeFolder(folder)
    expect(statSync(join(folder, 'file')).isFile()).toBe(true)
    if (process.platform === 'win32') return
    for (const made of [folder, join(folder, '..')]) expect(statSync(made).mode & 0o777).toBe(0o700)
  })

  it('throws where a file or a broken link has the name of one', () => {
    const folder = rig()
    writeFileSync(join(folder, 'file'), '')
    symlinkSync(join(folder, 'gone'), join(folder, 'link'))
    expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST')
    expect(() => makeFolder(join(folder, 'file', 'below'))).toThrow(/ENOTDIR|EEXIST/)
    const link = join(folder, 'link')
    for (const path of [link, join(link, 'below')]) {
      expect(() => makeFolder(path)).toThrow(`${link} is a link to something that does not exist`)
    }
  })

  it.skipIf(process.platform === 'win32')('throws what the system says of making it', () => {
    const name = 'x'.repeat(300)
    expect(() => makeFolder(join(rig(), name))).toThrow(/^ENAMETOOLONG: .*mkdir/)
  })

  it.runIf(process.platform === 'linux')('ends where the system makes none', () => {
    for (const folder of ['/proc/x', '/proc/x/y']) {
      expect(() => makeFolder(folder)).toThrow('the system makes no folder in /proc')
    }
  })
})
