// `node scripts/package/check-packages.ts`: opens or installs each package for this system in `release`, compares the fuses of its
// binary with electron-builder.yml, and starts it with `--smoke-test`, which runs an Execution with an effect. It installs,
// so it is for machines that are thrown away.

import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

const check = async (file: string, open: (file: string, folder: string) => Opened, folder: string): Promise<void> => {
  mkdirSync(folder)
  const { binary, executable, args = [] } = open(file, folder)
  const faults = await fuseFaults(binary)
  if (faults.length > 0) throw new Error(`${file}: ${faults.join('; ')}`)
  const report = execFileSync(executable, [...args, '--smoke-test'], { encoding: 'utf8', timeout: SMOKE_LIMIT_MS })
  console.log(`${file}: fuses as configured; ${report.trim()}`)
}

const ENDINGS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['.AppImage', '.deb'],
  darwin: ['.dmg', '.zip'],
  win32: ['.exe'],
}

const folder = mkdtempSync(join(tmpdir(), 'wes-check-'))
try {
  for (const ending of ENDINGS[process.platform] ?? []) {
    const files = globSync(`*${ending}`, { cwd: join(ROOT, 'release') })
    const open = OPENERS[ending]
    if (files.length === 0 || open === undefined) throw new Error(`release has no ${ending}`)
    for (const file of files) await check(join(ROOT, 'release', file), open, join(folder, ending.slice(1)))
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
