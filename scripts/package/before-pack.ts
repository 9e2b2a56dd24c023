// electron-builder runs this before it packs the archive: lists the files that will lie beside it, and says where updates are.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UNPACKED_LIST } from '../../src-main/unpacked-files.ts'
import { FEED_FILE } from '../../src-main/updates/update-feed.ts'
import { feedOf } from './feed.ts'
import { listUnpacked } from './unpacked-files.ts'

const ROOT = join(import.meta.dirname, '../..')
/** electron-builder's numbers. */
const ARCHS = ['ia32', 'x64', 'armv7l', 'arm64', 'universal'] as const

type Context = {
  readonly electronPlatformName: string
  readonly arch: number
  readonly packager: { readonly config: { readonly publish?: unknown } }
}

export const beforePack = ({ electronPlatformName, arch, packager }: Context): void => {
  write(UNPACKED_LIST, listUnpacked(ROOT, electronPlatformName, ARCHS[arch] ?? 'unknown'))
  write(FEED_FILE, feedOf(packager.config.publish))
}

const write = (file: string, content: unknown): void =>
  writeFileSync(join(ROOT, file), `${JSON.stringify(content, null, 2)}\n`)
