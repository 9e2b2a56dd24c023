// Gets a Chromium for the browser tests where the machine has none: Playwright's own where the network allows, else
// Debian's when run as root. Says what to install when neither can be had.

import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { findBrowser } from './find-browser.ts'

const CONNECT_LIMIT_MS = 5_000
const DOWNLOAD_LIMIT_MS = 180_000
const APT_LIMIT_MS = 240_000

type Attempt = {
  readonly what: string
  readonly command: string
  readonly args: readonly string[]
  readonly limitMs: number
}

/** In the order to be tried. */
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
  // With a font: without any, a page has no text to look at.
  const install = ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-liberation']
  const apt = (args: readonly string[]) => ({
    what: `apt-get ${args[0]}`,
    command: 'apt-get',
    args,
    limitMs: APT_LIMIT_MS,
  })
  return [download, apt(['update']), apt(install)]
}

/** The first error, as far as the tool says one: what follows is about its own giving up. */
export const reasonIn = (output: string): string => {
  const lines = output.split('\n').map((line) => line.trim())
  return lines.find((line) => /^(Error|E): /.test(line)) ?? lines.findLast((line) => line !== '') ?? 'no word of why'
}

/** Undefined when it went well. */
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

/** Whether it starts at all: a download may lack the system's libraries, which nothing but running it shows. */
const runs = (browser: string): boolean =>
  process.platform !== 'linux' || spawnSync(browser, ['--version'], { timeout: 30_000, stdio: 'ignore' }).status === 0

const usableBrowser = (): string | undefined => {
  const found = findBrowser()
  return found !== undefined && runs(found) ? found : undefined
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
      'The browser tests need a Chromium, and this machine has none that runs:',
      ...failures.map((failure) => `  ${failure}`),
      'Install Google Chrome or Chromium (Debian: `apt-get install chromium`), or name one in WES_CHROMIUM.',
      'The other tests run without: `npm run test:unit`.',
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
