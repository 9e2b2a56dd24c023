// `node scripts/package/check-packages.ts`: opens or installs each package for this system in `release`, compares the fuses of its
// binary with electron-builder.yml, and starts it with `--smoke-test`, which upgrades a database and runs an Execution with an effect. Then checks what
// updates need. It installs, so it is for machines that are thrown away.

import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileEnding } from '../../src-main/updates/describe-update.ts'
import { readFeed, type UpdateFeed } from '../../src-main/updates/update-feed.ts'
import { configFaults, descriptionFaults } from './feed.ts'
import { fuseFaults } from './fuses.ts'

const ROOT = join(import.meta.dirname, '../..')
const PRODUCT = 'Workflow Execution Service'
const NAME = 'workflow-execution-service-app'
const SMOKE_LIMIT_MS = 180_000

const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

type Opened = {
  /** What @electron/fuses reads. */
  readonly binary: string
  readonly executable: string
  readonly args?: readonly string[]
}

const macApp = (folder: string): Opened => {
  const binary = join(folder, `${PRODUCT}.app`)
  return { binary, executable: join(binary, 'Contents/MacOS', PRODUCT) }
}

/** By the end of the package's name, how to open it in an empty folder. */
const OPENERS: Readonly<Record<string, (file: string, folder: string) => Opened>> = {
  '.AppImage': (file, folder) => {
    execFileSync(file, ['--appimage-extract'], { cwd: folder, stdio: 'ignore' })
    // Its Chromium has no sandbox where the system restricts user namespaces; the deb has one.
    return {
      binary: join(folder, 'squashfs-root', NAME),
      executable: file,
      args: ['--appimage-extract-and-run', '--no-sandbox'],
    }
  },
  '.deb': (file) => {
    run('sudo', 'apt-get', 'install', '--yes', file)
    const executable = join('/opt', PRODUCT, NAME)
    return { binary: executable, executable }
  },
  '.dmg': (file, folder) => {
    run('hdiutil', 'attach', file, '-nobrowse', '-readonly', '-mountpoint', join(folder, 'mounted'))
    run('ditto', join(folder, 'mounted'), join(folder, 'copy'))
    run('hdiutil', 'detach', join(folder, 'mounted'))
    return macApp(join(folder, 'copy'))
  },
  '.zip': (file, folder) => {
    run('ditto', '-x', '-k', file, folder)
    return macApp(folder)
  },
  '.exe': (file) => {
    run(file, '/S')
    const executable = join(process.env['LOCALAPPDATA'] ?? '', 'Programs', NAME, `${PRODUCT}.exe`)
    return { binary: executable, executable }
  },
}

/** What the app reports; throws with it if the test failed. */
const smokeTest = ({ executable, args = [] }: Opened): string => {
  const { status, signal, error, stdout } = spawnSync(executable, [...args, '--smoke-test'], {
    encoding: 'utf8',
    timeout: SMOKE_LIMIT_MS,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status === 0) return stdout.trim()
  const how = error?.message ?? signal ?? `exit code ${status}`
  throw new Error(`the smoke test failed (${how})${stdout === '' ? '' : `: ${stdout.trim()}`}`)
}

const resourcesOf = (binary: string): string =>
  binary.endsWith('.app') ? join(binary, 'Contents/Resources') : join(dirname(binary), 'resources')

/** Returns what to print. */
const check = async (
  file: string,
  open: (file: string, folder: string) => Opened,
  feed: UpdateFeed | null,
): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'wes-check-'))
  try {
    const opened = open(file, folder)
    const faults = [...(await fuseFaults(opened.binary)), ...configFaults(resourcesOf(opened.binary), feed)]
    if (faults.length > 0) throw new Error(faults.join('; '))
    return `${file}: fuses as configured; ${smokeTest(opened)}`
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const ENDINGS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['.AppImage', '.deb'],
  darwin: ['.dmg', '.zip'],
  win32: ['.exe'],
}

/** Of these endings, in a folder. Rejects at the first package that fails, or if there is none of an ending. `feed`: of the packages. */
export const checkPackages = async (
  folder: string,
  print: (line: string) => void,
  endings: readonly string[] = ENDINGS[process.platform] ?? [],
  feed: UpdateFeed | null = null,
): Promise<void> => {
  for (const ending of endings) {
    const files = globSync(`*${ending}`, { cwd: folder })
    const open = OPENERS[ending]
    if (files.length === 0 || open === undefined) throw new Error(`${folder} has no ${ending}`)
    for (const file of files) print(await check(join(folder, file), open, feed))
  }
  if (feed === null) return
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }
  const faults = descriptionFaults(folder, version, fileEnding(process.platform))
  if (faults.length > 0) throw new Error(faults.join('; '))
}

if (import.meta.main) await checkPackages(join(ROOT, 'release'), console.log, undefined, readFeed(ROOT))
