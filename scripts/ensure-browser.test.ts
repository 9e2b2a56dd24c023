import { spawnSync } from 'node:child_process'
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../src-runtime/shared/temporary-folder.test-support.ts'
import { attempts, reasonIn } from './ensure-browser.ts'

const MAIN = join(import.meta.dirname, 'ensure-browser.ts')
/** Node loads all of Playwright, which takes seconds on a busy machine. */
const LIMIT_MS = 60_000
const machine = { node: 'node', playwright: 'cli.js', platform: 'linux', isRoot: true } as const
const commands = (changes: Partial<Parameters<typeof attempts>[0]>): readonly string[] =>
  attempts({ ...machine, ...changes }).map(({ command, args }) => `${command} ${args[0]}`)

const folder = (): string => temporaryFolder('browser')

describe('a machine without a browser', () => {
  it("tries Playwright's download first, then Debian's packages as root, with and without the headless shell", () => {
    expect(commands({})).toEqual(['node cli.js', 'apt-get update', 'apt-get install', 'apt-get install'])
  })

  it("tries only Playwright's download without root or apt-get", () => {
    expect(commands({ isRoot: false })).toEqual(['node cli.js'])
    expect(commands({ platform: 'darwin' })).toEqual(['node cli.js'])
  })
})

describe('the reason of a failed attempt', () => {
  it.each([
    ['Reading package lists...\nE: Unable to locate package chromium\n', 'E: Unable to locate package chromium'],
    ['Error: getaddrinfo ENOTFOUND a\n    at f\nError: gave up\n}\n', 'Error: getaddrinfo ENOTFOUND a'],
    ['cannot\n\n', 'cannot'],
    ['', 'no reason given'],
  ])('%j is %j', (output, words) => {
    expect(reasonIn(output)).toBe(words)
  })
})

describe('the command', () => {
  const run = (env: Readonly<Record<string, string>>) =>
    spawnSync(process.execPath, [MAIN], { env, encoding: 'utf8', timeout: LIMIT_MS })

  it('prints nothing if there is a browser', () => {
    const browser = join(folder(), 'chromium')
    writeFileSync(browser, '#!/bin/sh\nexit 0\n')
    chmodSync(browser, 0o755)
    expect(run({ WES_CHROMIUM: browser })).toMatchObject({ status: 0, stdout: '', stderr: '' })
  })

  it('reports an invalid WES_CHROMIUM', () => {
    const { status, stderr } = run({ WES_CHROMIUM: '/no/such/browser' })
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'WES_CHROMIUM is /no/such/browser, which is not an executable file\n',
    })
  })

  // Browsers in /usr/bin cannot be hidden from it, so the test names one that does not run.
  it('says what to install if all attempts fail', () => {
    const path = folder()
    const browser = join(path, 'chromium')
    writeFileSync(browser, '#!/bin/sh\nexit 127\n')
    chmodSync(browser, 0o755)
    symlinkSync('/bin/false', join(path, 'apt-get'))
    const { status, stderr } = run({
      WES_CHROMIUM: browser,
      PATH: path,
      HOME: path,
      // A file, not a folder: the download fails before it connects. Playwright would try five times, in five processes.
      PLAYWRIGHT_BROWSERS_PATH: browser,
    })
    expect(status).toBe(1)
    expect(stderr).toContain("downloading Playwright's Chromium: ")
    expect(stderr).toContain('apt-get install chromium')
    expect(stderr).toContain('WES_CHROMIUM')
  })
})
