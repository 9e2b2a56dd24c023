import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { fuseFaults } from './fuses.ts'

/** A binary as Electron writes it: a mark, the version, the number of fuses, and a digit for each. */
const binary = (wire: string): string => {
  const folder = temporaryFolder('fuses')
  const file = join(folder, 'electron')
  const mark = 'dL7pKGdnNz796PbbjQWN' + 'KmHXBZaB9tsX'
  writeFileSync(file, Buffer.concat([Buffer.from(`code${mark}`), Buffer.from([1, wire.length]), Buffer.from(wire)]))
  return file
}

describe('the fuses of a package', () => {
  it('are those of electron-builder.yml', async () => {
    expect(await fuseFaults(binary('01001100'))).toEqual([])
  })

  it('are named if they are others, as in an Electron that nobody has set them in', async () => {
    expect(await fuseFaults(binary('10110001'))).toEqual([
      'the fuse runAsNode is not off',
      'the fuse enableCookieEncryption is not on',
      'the fuse enableNodeOptionsEnvironmentVariable is not off',
      'the fuse enableNodeCliInspectArguments is not off',
      'the fuse enableEmbeddedAsarIntegrityValidation is not on',
      'the fuse onlyLoadAppFromAsar is not on',
      'the fuse grantFileProtocolExtraPrivileges is not off',
    ])
  })

  it('cannot be read in another file', async () => {
    await expect(fuseFaults(import.meta.filename)).rejects.toThrow('Could not find sentinel')
  })
})
