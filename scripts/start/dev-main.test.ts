// `npm run dev` without a desktop window.

import { describe, expect, it, vi } from 'vitest'
import { createClient } from '../../src-sdk/index.ts'
import { restrictsUserNamespaces } from '../restricts-user-namespaces.ts'
import { desktopEnv, folder, run, silentServer } from './command.test-support.ts'

const npmRunDev = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run('dev-main.ts', args, { env: { WES_DATA_DIR: folder(), ...env } })

const READY = /^ready (http:\/\/localhost:\d+)$/m
const DASHBOARD = /^dashboard with hot reload (http:\/\/127\.0\.0\.1:\d+)\/#code=[\w-]+$/m

describe('npm run dev without a display', () => {
  it('serves the dashboard from its sources, with a runtime of the sample project, until it is stopped', async () => {
    const dev = npmRunDev(['--port', '0'])
    const page = await dev.said(DASHBOARD)
    expect(dev.out()).toContain('Desktop window unavailable: there is no display')
    expect(dev.out()).toContain('To run your own: npm run dev -- --project DIR')
    expect(await (await fetch(page)).text()).toContain('/@vite/client')
    expect(await (await fetch(`${page}/main.tsx`)).text()).toContain('react')
    const client = createClient({ url: `${page}/local` })
    await vi.waitUntil(async () => (await client.listPrograms()).items.length === 4)

    const url = await dev.said(READY)
    dev.child.kill('SIGINT')
    expect(await dev.exitCode).toBe(0)
    for (const gone of [page, url]) await expect(fetch(gone)).rejects.toThrow('fetch failed')
  })

  it('uses a runtime that is already running, and leaves it running', async () => {
    const WES_DATA_DIR = folder()
    const first = run('main.ts', ['--browser', '--port', '0'], { env: { WES_DATA_DIR } })
    const url = await first.said(READY)
    const dev = npmRunDev(['--browser'], { WES_DATA_DIR })
    const page = await dev.said(DASHBOARD)
    expect(dev.out()).toContain(`using the runtime at ${url} (process ${first.child.pid})`)
    expect((await fetch(`${page}/local/v1/programs`)).status).toBe(200)
    dev.child.kill('SIGTERM')
    expect(await dev.exitCode).toBe(0)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })

  it('fails with the name of another process on the port, like wes dev', async () => {
    const port = await silentServer()
    const dev = npmRunDev(['--browser', '--port', String(port)])
    expect(await dev.exitCode).toBe(1)
    expect(dev.err()).toContain(`port ${port} is taken by`)
  })

  it('fails with --desktop', async () => {
    const dev = npmRunDev(['--desktop'])
    expect(await dev.exitCode).toBe(1)
    expect(dev.err()).toContain('Desktop window unavailable: there is no display')
  })
})

describe.skipIf(restrictsUserNamespaces())('npm run dev with a display', () => {
  it('downloads nothing', async () => {
    const dev = npmRunDev(['--port', '0'], { ...desktopEnv, ELECTRON_OVERRIDE_DIST_PATH: folder() })
    expect(await dev.said(/unavailable: (.+)\. Open/)).toMatch(/^the Electron \S+ binary is not downloaded$/)
    await dev.said(DASHBOARD)
  })
})
