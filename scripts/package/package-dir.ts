// `npm run package:dir [-- FOLDER]`: lays out the application as on an installed Linux, in `release`, without a network: by
// electron-builder with our configuration, but with the stand-in in place of Electron's binary, whose fuses nobody can set.
// Prints what the package holds.

import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { contentsOf, describeContents } from './contents.ts'

const ROOT = join(import.meta.dirname, '../..')
const STAND_IN = join(ROOT, 'e2e/electron-standin/dist/electron')
const { platform } = process

/** What we use of the package. */
type ElectronBuilder = {
  readonly Platform: { readonly LINUX: { createTarget(type: 'dir'): unknown } }
  readonly log: { stream: { write(text: string): unknown } }
  build(options: object): Promise<unknown>
}

/** No server has this name. */
const NOWHERE = { provider: 'generic', url: 'https://updates.invalid/' }

/** Where the unpacked application is. */
export const unpackedIn = (folder: string): string =>
  join(folder, process.arch === 'x64' ? 'linux-unpacked' : `linux-${process.arch}-unpacked`)

const packageDir = async (folder: string): Promise<void> => {
  if (platform !== 'linux') throw new Error('package:dir lays out the application for Linux, and runs there only')
  const { build, log, Platform } = createRequire(import.meta.url)('electron-builder') as ElectronBuilder
  let printed = ''
  log.stream = { write: (text) => (printed += text) }
  rmSync(unpackedIn(folder), { recursive: true, force: true })
  const electronDist = mkdtempSync(join(tmpdir(), 'wes-electron-dist-'))
  try {
    layOutElectron(electronDist)
    const config = { electronDist, electronFuses: null, directories: { output: folder }, publish: NOWHERE }
    await build({ projectDir: ROOT, targets: Platform.LINUX.createTarget('dir'), config })
  } catch (error) {
    process.stderr.write(printed)
    throw error
  } finally {
    rmSync(electronDist, { recursive: true, force: true })
  }
}

/** The files of Electron that electron-builder looks for. */
const layOutElectron = (folder: string): void => {
  copyFileSync(STAND_IN, join(folder, 'electron'))
  chmodSync(join(folder, 'electron'), 0o755)
  mkdirSync(join(folder, 'locales'))
  for (const language of ['de', 'en-US']) writeFileSync(join(folder, 'locales', `${language}.pak`), '')
}

const folder = resolve(process.argv[2] ?? join(ROOT, 'release'))
await packageDir(folder)
const contents = contentsOf(join(unpackedIn(folder), 'resources'))
console.log(describeContents(contents).join('\n'))
console.log(
  `in ${unpackedIn(folder)}, whose archive takes ${statSync(join(unpackedIn(folder), 'resources/app.asar')).size} bytes`,
)
