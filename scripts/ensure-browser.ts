// Installs a Chromium for the browser tests if the machine has none: Playwright's download, or as root Debian's package.
// If both fail, says what to install.

import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { findBrowser, findHeadlessBrowser } from './find-browser.ts'

const CONNECT_LIMIT_MS = 5_000
const DOWNLOAD_LIMIT_MS = 180_000
const APT_LIMIT_MS = 240_000

type Attempt = {
  readonly what: string
  readonly command: string
  readonly args: readonly string[]
  readonly limitMs: number
}

/** In the order in which to try them. */
export const attempts = (machine: {
  readonly node: string
  readonly playwright: string
  readonly platform: NodeJS.Platform
  readonly isRoot: boolean
}): readonly Attempt[] => {
  const download = {
    what: "downloading Playwright's Chromium",
    command: machine.node,
    args: [machine.playwright, 'install', '--no-shell', 'chromium'],
    limitMs: DOWNLOAD_LIMIT_MS,
  }
  if (machine.platform !== 'linux' || !machine.isRoot) return [download]
  // With a font, because without one pages show no text.
  const install = ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-liberation']
  // Not every release has the headless shell.
  const installShell = [...install, 'chromium-headless-shell']
  const apt = (args: readonly string[]) => ({
    what: `apt-get ${args[0]}`,
    command: 'apt-get',
    args,
    limitMs: APT_LIMIT_MS,
  })
  return [download, apt(['update']), apt(installShell), apt(install)]
}

/** The tool's first error, because later lines only say that it failed. */
export const reasonIn = (output: string): string => {
  const lines = output.split('\n').map((line) => line.trim())
  return lines.find((line) => /^(Error|E): /.test(line)) ?? lines.findLast((line) => line !== '') ?? 'no reason given'
}

/** The reason of a failure; undefined for success. */
const attempt = ({ what, command, args, limitMs }: Attempt): string | undefined => {
  console.log(`ensure-browser: ${what}…`)
  const env = {
    ...process.env,
    PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: String(CONNECT_LIMIT_MS),
    DEBIAN_FRONTEND: 'noninteractive',
  }
  const run = spawnSync(command, args, { env, timeout: limitMs, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  if (run.status === 0) return undefined
  const late = run.error !== undefined && 'code' in run.error && run.error.code === 'ETIMEDOUT'
  return `${what}: ${late ? `not done after ${limitMs / 1000} s` : reasonIn(`${run.stdout}\n${run.stderr}`)}`
}

/** Whether the browser starts: a downloaded one may lack libraries of the system. */
const runs = (browser: string): boolean =>
  process.platform !== 'linux' || spawnSync(browser, ['--version'], { timeout: 30_000, stdio: 'ignore' }).status === 0

const usableBrowser = (): string | undefined => {
  const found = [findBrowser(), findHeadlessBrowser()]
  return found.every((browser) => browser !== undefined && runs(browser)) ? found[0] : undefined
}

const ensureBrowser = (): number => {
  if (usableBrowser() !== undefined) return 0
  const require = createRequire(import.meta.url)
  const failures: string[] = []
  for (const next of attempts({
    node: process.execPath,
    playwright: require.resolve('@playwright/test/cli'),
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
  })) {
    const failure = attempt(next)
    if (failure !== undefined) failures.push(failure)
    const browser = usableBrowser()
    if (browser !== undefined) {
      console.log(`ensure-browser: ${browser}`)
      return 0
    }
  }
  console.error(
    [
      'The browser tests need Chromium, and this machine has none that runs:',
      ...failures.map((failure) => `  ${failure}`),
      'Install Google Chrome or Chromium (Debian: `apt-get install chromium`), or set WES_CHROMIUM to its path.',
      '`npm run test:unit` runs the other tests.',
    ].join('\n'),
  )
  return 1
}

if (import.meta.main) {
  try {
    process.exitCode = ensureBrowser()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
