import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const NAMES = /electron-?stand-?in|stand-in: |ELECTRON_OVERRIDE_DIST_PATH|STANDIN_(NODE|HEADED|DEBUG|SAFE)/i

const mentionsIn = (pattern: string): { readonly files: number; readonly mentioning: readonly string[] } => {
  const files = globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'], withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return { files: files.length, mentioning: files.filter((file) => NAMES.test(readFileSync(file, 'utf8'))) }
}

describe('the product does not mention the stand-in', () => {
  it.each(['src-runtime', 'src-cli', 'src-main', 'src-renderer', 'src-sdk'])('in the sources: %s', (folder) => {
    const { files, mentioning } = mentionsIn(`${folder}/**/*`)
    expect(files).toBeGreaterThan(0)
    expect(mentioning).toEqual([])
  })

  it.skipIf(!existsSync(join(ROOT, 'out')))('in the builds', () => {
    const { files, mentioning } = mentionsIn('out/**/*')
    expect(files).toBeGreaterThan(0)
    expect(mentioning).toEqual([])
  })
})
