// electron-builder runs this before it packs the archive: lists the files that will lie beside it.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UNPACKED_LIST } from '../../src-main/unpacked-files.ts'
import { listUnpacked } from './unpacked-files.ts'

const ROOT = join(import.meta.dirname, '../..')
/** electron-builder's numbers. */
const ARCHS = ['ia32', 'x64', 'armv7l', 'arm64', 'universal'] as const

export const beforePack = ({ electronPlatformName, arch }: { electronPlatformName: string; arch: number }): void => {
  const files = listUnpacked(ROOT, electronPlatformName, ARCHS[arch] ?? 'unknown')
  writeFileSync(join(ROOT, UNPACKED_LIST), `${JSON.stringify(files, null, 2)}\n`)
}
