// `npm start` in every branch that is possible without Electron.

import { existsSync, readFileSync } from 'node:fs'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createClient } from '../../src-sdk/index.ts'
import { restrictsUserNamespaces } from '../restricts-user-namespaces.ts'
import { desktopEnv, folder, folderWith, run, silentServer } from './command.test-support.ts'

const npmStart = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run('main.ts', args, { env: { WES_DATA_DIR: folder(), ...env } })

const READY = /^ready (http:\/\/localhost:\d+)$/m

describe('npm start without a display', () => {
  it('prints the reason in one line, and serves the dashboard with the sample project', async () => {
    const start = npmStart(['--port', '0'])
    const url = await start.said(READY)
    const lines = start.out().trimEnd().split('\n')
    const [why, sample, ready, ...more] = lines.filter((line) => !line.startsWith('building ')) // printed if a build was stale
    expect(why).toBe(
      'Desktop window unavailable: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set). ' +
        'Open the dashboard in your browser instead',
    )
    expect(sample).toBe('Running the sample project examples/project. To run your own: npm start -- --project DIR')
    expect({ ready, more }).toEqual({ ready: `ready ${url}`, more: [] })

    const page = await fetch(url)
    expect(await page.text()).toContain('<div id="root">')
    const client = createClient({ url })
    await vi.waitUntil(async () => (await client.listPrograms()).items.length === 4)
    const trip = await client.start('trip-saga', { trip: 'the impossible trip' })
    expect(await trip.result()).toMatchObject({ status: 'taken-back' })
  })

  it('stops on Ctrl-C with exit code 0', async () => {
    const start = npmStart(['--browser', '--port', '0'])
    const url = await start.said(READY)
    expect(start.out()).not.toContain('Desktop window')
    start.child.kill('SIGINT')
    expect(await start.exitCode).toBe(0)
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  it('runs the user’s project, relative to the user’s folder', async () => {
    const home = await realpath(folder())
    await mkdir(join(home, 'shop'))
    const dataDir = folder()
    const start = npmStart(['--browser', '--port', '0', '--project', 'shop'], { INIT_CWD: home, WES_DATA_DIR: dataDir })
    await start.said(READY)
    expect(start.out()).not.toContain('sample')
    expect(JSON.parse(readFileSync(join(dataDir, 'runtime.json'), 'utf8'))).toMatchObject({
      projectFolder: join(home, 'shop'),
    })
  })

  it('fails with --desktop', async () => {
    const start = npmStart(['--desktop'])
    expect(await start.exitCode).toBe(1)
    expect(start.err()).toBe(
      'Desktop window unavailable: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set).\n',
    )
  })
})

describe('npm start beside a runtime', () => {
  it('opens a runtime that is already running, with any project', async () => {
    const WES_DATA_DIR = folder()
    const first = npmStart(['--browser', '--port', '0', '--project', folder()], { WES_DATA_DIR })
    const url = await first.said(READY)
    const second = npmStart([], { WES_DATA_DIR })
    expect(await second.exitCode).toBe(0)
    expect(second.out()).toContain(`instead: ${url}\n`)
    expect(second.out()).toContain(`already running at ${url} (process ${first.child.pid}), with the project `)
    expect(second.out()).toContain(`dashboard ${url}/#code=`)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })

  it('says that the data directory is in use if the project or the port is another', async () => {
    const WES_DATA_DIR = folder()
    const first = npmStart(['--browser', '--port', '0'], { WES_DATA_DIR })
    const url = await first.said(READY)
    for (const args of [
      ['--project', folder(), '--port', new URL(url).port],
      ['--port', '0'],
    ]) {
      const second = npmStart(['--browser', ...args], { WES_DATA_DIR })
      expect(await second.exitCode).toBe(1)
      expect(second.err()).toContain(`in use by process ${first.child.pid} at ${url}`)
    }
  })

  it('fails with the name of another process on the port, like wes dev', async () => {
    const port = await silentServer()
    const start = npmStart(['--port', String(port)])
    expect(await start.exitCode).toBe(1)
    expect(start.err()).toContain(`port ${port} is taken by`)
    expect(start.err()).toContain('--port')
  })
})

describe('npm start', () => {
  it('prints its usage', async () => {
    const help = npmStart(['--help'])
    expect(await help.exitCode).toBe(0)
    expect(help.out()).toContain('--desktop | --browser')
    const wrong = npmStart(['--port', 'x'])
    expect(await wrong.exitCode).toBe(2)
    expect(wrong.err()).toContain('--port must be a number')
    const nowhere = npmStart(['--project', 'no/such/folder'])
    expect(await nowhere.exitCode).toBe(2)
    expect(nowhere.err()).toContain('no/such/folder')
  })

  it('opens no window if RUNTIME_NO_ELECTRON is set', async () => {
    const start = npmStart(['--port', '0'], { ...desktopEnv, RUNTIME_NO_ELECTRON: '1' })
    expect(await start.said(/unavailable: ([^.]+)\./)).toBe('RUNTIME_NO_ELECTRON is set')
    await start.said(READY)
  })

  it.runIf(process.platform === 'linux' && process.getuid?.() === 0)('opens no window for root', async () => {
    const start = npmStart(['--port', '0'], { DISPLAY: ':0' })
    expect(await start.said(/unavailable: ([^.]+)\./)).toBe('Chromium does not run sandboxed as root')
    await start.said(READY)
  })
})

// The `script` of util-linux; on other systems it has other arguments.
describe.runIf(process.platform === 'linux' && existsSync('/usr/bin/script'))('npm start on a terminal', () => {
  const CTRL_C = '\u0003'

  it('opens the browser when it serves the dashboard, and stops on Ctrl-C', async () => {
    const opened = join(folder(), 'opened')
    const bin = folderWith('xdg-open', `curl -sf "$1" > /dev/null && echo "$1 served" > '${opened}'`)
    const env = { DISPLAY: ':0', PATH: `${bin}:${process.env['PATH']}`, WES_DATA_DIR: folder() }
    const start = run('main.ts', ['--browser', '--port', '0'], { env, terminal: true })
    const url = await start.said(/^ready (http:\/\/localhost:\d+)\r$/m)
    await vi.waitUntil(() => existsSync(opened) && readFileSync(opened, 'utf8') !== '')
    expect(readFileSync(opened, 'utf8')).toBe(`${url} served\n`)
    start.child.stdin?.write(CTRL_C)
    expect(await start.exitCode).toBe(0)
  })

  it('opens the browser for a runtime that is already running', async () => {
    const WES_DATA_DIR = folder()
    const url = await npmStart(['--browser', '--port', '0'], { WES_DATA_DIR }).said(READY)
    const opened = join(folder(), 'opened')
    const PATH = `${folderWith('xdg-open', `echo "$1" > '${opened}'`)}:${process.env['PATH']}`
    const second = run('main.ts', [], {
      env: { DISPLAY: ':0', RUNTIME_NO_ELECTRON: '1', PATH, WES_DATA_DIR },
      terminal: true,
    })
    expect(await second.exitCode).toBe(0)
    expect(second.out()).toContain(`Opening the dashboard in your browser instead: ${url}`)
    await vi.waitUntil(() => existsSync(opened) && readFileSync(opened, 'utf8') !== '')
    expect(readFileSync(opened, 'utf8')).toBe(`${url}\n`)
  })
})

// With shell scripts instead of the binary.
describe.skipIf(process.platform === 'win32' || restrictsUserNamespaces())('npm start with a display', () => {
  it('runs the desktop app from the repository, with the given options', async () => {
    const [project, result] = [await realpath(folder()), join(folder(), 'result')]
    const dist = folderWith('electron', `echo "$# $1 $WES_PROJECT_FOLDER $WES_PORT" > '${result}'; exit 0`)
    const start = npmStart(['--project', project, '--port', '4711'], {
      ...desktopEnv,
      ELECTRON_OVERRIDE_DIST_PATH: dist,
    })
    expect(await start.exitCode).toBe(0)
    const repository = join(import.meta.dirname, '../..')
    expect(readFileSync(result, 'utf8')).toBe(`1 ${repository} ${project} 4711\n`)
    expect(start.err()).toBe('')
  })

  it('serves the browser if Electron ends at once', async () => {
    const dist = folderWith('electron', 'echo "error while loading shared libraries: libnss3.so" >&2; exit 127')
    const start = npmStart(['--port', '0'], { ...desktopEnv, ELECTRON_OVERRIDE_DIST_PATH: dist })
    await start.said(READY)
    expect(start.out()).toContain(
      'Desktop window unavailable: Electron stopped at once (exit code 127). Open the dashboard',
    )
    expect(start.err()).toContain('libnss3.so')
  })

  it('serves the browser if the download host does not answer', async () => {
    const start = npmStart(['--port', '0'], {
      ...desktopEnv,
      ELECTRON_OVERRIDE_DIST_PATH: folder(),
      ELECTRON_MIRROR: `http://127.0.0.1:${await silentServer()}/`,
    })
    expect(await start.said(/unavailable: (.+)\. Open the dashboard/)).toMatch(
      /^the Electron \S+ binary is not downloaded and 127\.0\.0\.1:\d+ cannot be reached \(no answer within 4 s\)$/,
    )
    await start.said(READY)
  })
})
