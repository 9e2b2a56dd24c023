// Every branch of `npm start`, with a simulated machine.

import { describe, expect, it } from 'vitest'
import type { ElectronBinary } from './electron-binary.ts'
import type { StartOptions } from './start-options.ts'
import { type Ports, start } from './start.ts'

const READY: ElectronBinary = { kind: 'ready', executable: '/e/electron' }
const MISSING = {
  kind: 'missing',
  version: '45.4.1',
  why: 'the Electron 45.4.1 binary is not downloaded',
} as const

const BROWSER_CODE = 42

const rig = (home: StartOptions['home'], changes: Partial<Ports> = {}) => {
  const log: string[] = []
  const ports: Ports = {
    machine: () => ({
      platform: 'linux',
      env: { DISPLAY: ':0' },
      userId: 1000,
      restrictsUserNamespaces: false,
      hasSandboxHelper: false,
    }),
    electron: () => READY,
    whyUnreachable: async () => undefined,
    download: async () => undefined,
    build: async (names) => void log.push(`build ${names.join(' ')}`),
    runDesktop: async (executable) => {
      log.push(`desktop ${executable}`)
      return { kind: 'ended', exitCode: 0 }
    },
    runBrowser: async (why) => {
      log.push(`browser: ${why}`)
      return BROWSER_CODE
    },
    print: (line) => void log.push(line),
    printError: (line) => void log.push(`error: ${line}`),
    ...changes,
  }
  return { log, code: start({ home }, ports) }
}

describe('npm start', () => {
  it('updates the builds, then runs the desktop app until it ends', async () => {
    const { log, code } = rig('any', { runDesktop: async () => ({ kind: 'ended', exitCode: 3 }) })
    expect(await code).toBe(3)
    expect(log).toEqual(['build sdk dashboard desktop'])
  })

  it('serves the browser with --browser', async () => {
    const { log, code } = rig('browser')
    expect(await code).toBe(BROWSER_CODE)
    expect(log).toEqual(['build sdk dashboard', 'browser: undefined'])
  })

  it('downloads a missing binary once, and runs it', async () => {
    let electron: ElectronBinary = MISSING
    const { log, code } = rig('any', {
      electron: () => electron,
      download: async () => {
        electron = READY
        return undefined
      },
    })
    expect(await code).toBe(0)
    expect(log).toEqual(['Downloading Electron 45.4.1, once…', 'build sdk dashboard desktop', 'desktop /e/electron'])
  })

  const FAILURES: readonly (readonly [string, Partial<Ports>, string])[] = [
    [
      'the host does not answer',
      { electron: () => MISSING, whyUnreachable: async () => 'github.com cannot be reached (no answer within 4 s)' },
      'the Electron 45.4.1 binary is not downloaded and github.com cannot be reached (no answer within 4 s)',
    ],
    [
      'the download fails',
      { electron: () => MISSING, download: async () => 'the download failed: HTTP 500' },
      'the Electron 45.4.1 binary is not downloaded and the download failed: HTTP 500',
    ],
    [
      'the download does not contain the binary',
      { electron: () => MISSING },
      'the Electron 45.4.1 binary is not downloaded, even after a download',
    ],
    [
      'Electron ends at once',
      { runDesktop: async () => ({ kind: 'failed', why: 'Electron stopped at once (SIGTRAP)' }) },
      'Electron stopped at once (SIGTRAP)',
    ],
  ]

  it.each(FAILURES)('serves the browser and prints the reason when %s', async (_what, changes, why) => {
    const { log, code } = rig('any', changes)
    expect(await code).toBe(BROWSER_CODE)
    expect(log.at(-1)).toBe(`browser: ${why}`)
  })

  it.each(FAILURES)('fails with --desktop and prints the reason when %s', async (_what, changes, why) => {
    const { log, code } = rig('desktop', changes)
    expect(await code).toBe(1)
    expect(log.at(-1)).toBe(`error: Desktop window unavailable: ${why}.`)
  })

  it('contacts no host and builds no app if a window is not possible', async () => {
    const { log, code } = rig('any', {
      machine: () => ({
        platform: 'linux',
        env: {},
        userId: 0,
        restrictsUserNamespaces: true,
        hasSandboxHelper: false,
      }),
      electron: () => MISSING,
      whyUnreachable: () => Promise.reject(new Error('asked')),
    })
    expect(await code).toBe(BROWSER_CODE)
    expect(log[0]).toBe('build sdk dashboard')
  })
})
