import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recordDiskCalls } from './disk-calls.test-support.ts'
import { replaceFile, replaceFileLater } from './replace-file.ts'
import { temporaryFolder } from './temporary-folder.test-support.ts'

const fault = (code: string): Error => Object.assign(new Error(`${code}: rename`), { code })

/** A disk on which the first attempts fail. */
const rig = (platform: NodeJS.Platform, ...faults: readonly Error[]) => {
  const left = [...faults]
  const tried: string[] = []
  const renameTo = (draft: string, file: string): void => {
    tried.push(`${draft} ${file}`)
    const next = left.shift()
    if (next !== undefined) throw next
  }
  const sync = () => replaceFile('a.new', 'a', { platform, renameTo, sleep: (ms) => void tried.push(`${ms} ms`) })
  const later = () => replaceFileLater('a.new', 'a', { platform, renameTo: async (...both) => renameTo(...both) })
  return { tried, sync, later }
}

const ALWAYS = Array.from({ length: 50 }, () => fault('EBUSY'))

describe('replacing a file', () => {
  it('leaves the new file alone, and flushes its name', async () => {
    const folder = temporaryFolder('replace')
    const calls = recordDiskCalls()
    const [draft, file] = [join(folder, 'a.new'), join(folder, 'a')]
    for (const replace of [replaceFile, replaceFileLater]) {
      writeFileSync(file, 'old')
      writeFileSync(draft, `new by ${replace.name}`)
      const before = calls.length
      await replace(draft, file)
      expect(readFileSync(file, 'utf8')).toBe(`new by ${replace.name}`)
      expect(readdirSync(folder)).toEqual(['a'])
      if (process.platform !== 'win32') expect(calls.slice(before).at(-1)).toBe(`flush ${basename(folder)}`)
    }
  })

  it.each(['EPERM', 'EACCES', 'EBUSY'])('is tried again on Windows after %s', async (code) => {
    const { sync, tried } = rig('win32', fault(code), fault(code))
    sync()
    expect(tried).toEqual(['a.new a', '5 ms', 'a.new a', '10 ms', 'a.new a'])
    const other = rig('win32', fault(code))
    await other.later()
    expect(other.tried).toHaveLength(2)
  })

  it('fails on Windows with the system’s error after a second', async () => {
    const { sync, tried, later } = rig('win32', ...ALWAYS)
    expect(sync).toThrow('EBUSY')
    const waited = tried.filter((line) => line.endsWith(' ms')).map(Number.parseFloat)
    expect(waited.reduce((sum, ms) => sum + ms, 0)).toBe(1_000)
    await expect(later()).rejects.toThrow('EBUSY')
  })

  it('fails at once for other reasons, and on other systems', async () => {
    for (const { sync, later, tried } of [
      rig('win32', fault('ENOENT'), fault('ENOENT')),
      rig('linux', fault('EPERM'), fault('EPERM')),
      rig('darwin', fault('EBUSY'), fault('EBUSY')),
    ]) {
      expect(sync).toThrow('rename')
      await expect(later()).rejects.toThrow('rename')
      expect(tried).toEqual(['a.new a', 'a.new a'])
    }
  })
})
