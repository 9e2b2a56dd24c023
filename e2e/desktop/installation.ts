// Installs the application that `npm run package:dir` lays out, for the tests of the project `package`: read-only, at a path with
// spaces and umlauts, and far from the repository. The stand-in cannot read archives, so the archive is extracted, and each
// file compared with the hash in it.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { readArchive } from '../../scripts/package/archive.ts'
import { sha256 } from '../../scripts/package/unpacked-files.ts'

const ROOT = join(import.meta.dirname, '../..')
const NAME = 'workflow-execution-service-app'
/** playwright.config.ts chooses it, so that all of its processes have the same. */
const FOLDER = process.env['WES_TEST_INSTALLATION'] ?? ''
const STATE = join(FOLDER, 'installed.json')
const APP_FOLDER = join(FOLDER, 'Prüfstand für Pakete')

export const INSTALLED_APP = join(APP_FOLDER, NAME)
/** The executable lies far from the stand-in, which it is. */
export const STAND_IN_OF_INSTALLED = { STANDIN_HOME: join(ROOT, 'e2e/electron-standin') }

export const install = (): void => {
  if (FOLDER === '') throw new Error('the project `package` of playwright.config.ts runs this')
  const made = mkdtempSync(join(tmpdir(), 'wes-package-'))
  try {
    const args = [join(ROOT, 'scripts/package/package-dir.ts'), made]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
    if (status !== 0) throw new Error(`the package was not made:\n${stderr}`)
    console.log(stdout.trimEnd())
    const [unpacked = ''] = globSync('linux*-unpacked', { cwd: made })
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER)
    cpSync(join(made, unpacked), APP_FOLDER, { recursive: true })
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  extract(join(APP_FOLDER, 'resources/app.asar'))
  writeFileSync(STATE, JSON.stringify(stateOf(APP_FOLDER)))
  setWritable(false)
}

/** Replaces an archive by a folder of its name. What lies beside the archive is linked, as Electron reads it from there. */
const extract = (archive: string): void => {
  const files = readArchive(archive)
  const folder = `${archive}.extracted`
  const asar = createRequire(import.meta.url)('@electron/asar') as { extractAll(archive: string, folder: string): void }
  asar.extractAll(archive, folder)
  for (const { path, sha256: expected, isUnpacked } of files) {
    const file = join(folder, path)
    if (sha256(file) !== expected) throw new Error(`${path} is not what the archive says`)
    if (!isUnpacked) continue
    rmSync(file)
    symlinkSync(relative(dirname(file), join(`${archive}.unpacked`, path)), file)
  }
  renameSync(archive, join(FOLDER, 'app.asar'))
  renameSync(folder, archive)
}

/** Before and after the tests. */
export const installedState = () => ({
  before: JSON.parse(readFileSync(STATE, 'utf8')) as unknown,
  now: stateOf(APP_FOLDER),
})

/** Everything that a write would change. */
const stateOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    globSync('**/*', { cwd: folder }).map((path) => {
      const { mtimeMs, size, mode } = lstatSync(join(folder, path))
      return [path, `${mtimeMs} ${size} ${mode & 0o111}`] as const
    }),
  )

export const uninstall = (): void => {
  setWritable(true)
  rmSync(FOLDER, { recursive: true, force: true })
}

/** For all users but root. */
const setWritable = (isWritable: boolean): void => {
  for (const path of [APP_FOLDER, ...globSync('**/*', { cwd: APP_FOLDER }).map((name) => join(APP_FOLDER, name))]) {
    const { mode } = lstatSync(path)
    if (!lstatSync(path).isSymbolicLink()) chmodSync(path, isWritable ? mode | 0o200 : mode & ~0o222)
  }
}
