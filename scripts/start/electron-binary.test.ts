import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { findElectronBinary } from './electron-binary.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder('electron')
})
const write = (path: string, text = '', mode = 0o644): string => {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode })
  return file
}
const find = (platform: NodeJS.Platform = 'linux', distFolder?: string) =>
  findElectronBinary({ folder, platform, distFolder })

describe('the Electron binary', () => {
  it('is found in its package on each platform', () => {
    write('package.json', '{ "version": "45.4.1" }')
    write('dist/version', '45.4.1\n')
    for (const [platform, path] of [
      ['win32', 'dist/electron.exe'],
      ['darwin', 'dist/Electron.app/Contents/MacOS/Electron'],
      ['linux', 'dist/electron'],
    ] as const) {
      expect(find(platform), platform).toMatchObject({ kind: 'missing', why: expect.stringContaining('45.4.1') })
      const executable = write(path, '', 0o755)
      expect(find(platform)).toEqual({ kind: 'ready', executable })
    }
  })

  it('is found in the folder that the environment names, in any version', () => {
    write('package.json', '{ "version": "45.4.1" }')
    const executable = write('elsewhere/electron', '', 0o755)
    expect(find('linux', join(folder, 'elsewhere'))).toEqual({ kind: 'ready', executable })
    expect(find('darwin', join(folder, 'elsewhere'))).toEqual({ kind: 'ready', executable })
    expect(find('linux', join(folder, 'nowhere'))).toMatchObject({ kind: 'missing' })
  })

  it('is missing if another version is installed', () => {
    write('package.json', '{ "version": "45.4.1" }')
    write('dist/electron', '', 0o755)
    write('dist/version', 'v44.0.0')
    expect(find()).toMatchObject({ kind: 'missing', why: 'Electron 44.0.0 is installed, but 45.4.1 is needed' })
  })

  it.skipIf(process.getuid?.() === undefined)('is missing if it is not executable', () => {
    write('package.json', '{ "version": "45.4.1" }')
    write('dist/electron')
    expect(find()).toMatchObject({ kind: 'missing' })
  })

  it('is not installed without its package', () => {
    expect(find().kind).toBe('not-installed')
  })
})
