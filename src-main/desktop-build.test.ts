import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { createRuntime } from '../src-runtime/create-runtime.ts'
import type { Runtime } from '../src-runtime/runtime.ts'

const ROOT = join(import.meta.dirname, '..')
const ELECTRON_VITE = join(
  dirname(createRequire(import.meta.url).resolve('electron-vite/package.json')),
  'bin/electron-vite.js',
)

// Within the repository, because the build finds its packages from where it lies.
const CACHE = join(ROOT, 'node_modules/.cache')
let build: string
let data: string

beforeAll(() => {
  mkdirSync(CACHE, { recursive: true })
  build = mkdtempSync(join(CACHE, 'desktop-build-'))
  data = mkdtempSync(join(tmpdir(), 'wes-desktop-build-'))
  execFileSync(process.execPath, [ELECTRON_VITE, 'build', '--outDir', build], { cwd: ROOT, stdio: 'pipe' })
}, 60_000)

afterAll(() => {
  for (const folder of [build, data]) rmSync(folder, { recursive: true, force: true })
})

describe('the built desktop app', () => {
  it('has the entry that package.json names, and a page', () => {
    expect(existsSync(join(build, 'main/src-main/main.js'))).toBe(true)
    expect(existsSync(join(build, 'renderer/index.html'))).toBe(true)
  })

  it('carries a whole runtime: its child processes and every file that it reads', async () => {
    const entry = pathToFileURL(join(build, 'main/src-runtime/create-runtime.js')).href
    const built = (await import(/* @vite-ignore */ entry)) as { createRuntime: typeof createRuntime }
    const runtime = await built.createRuntime({
      dataDir: data,
      port: 0,
      projectFolder: data,
      log: pino({ level: 'silent' }),
    })
    try {
      expect((await ask(runtime, '/')).status).toBe(200)
      const program = { code: '({ run: async (ctx, input) => { await ctx.sleep(1); return { hello: input.name } } })' }
      await ask(runtime, '/v1/programs/deploy', { format: 'wes.program/1', id: 'hello', program })
      const started = await ask(runtime, '/v1/executions', { programId: 'hello', input: { name: 'ada' } })
      const { id } = (await started.json()) as { id: string }
      const result = await ask(runtime, `/v1/executions/${id}/result`)
      expect(await result.json()).toEqual({ status: 'completed', result: { hello: 'ada' } })
    } finally {
      await runtime.stop()
    }
  })
})

const ask = async (runtime: Runtime, path: string, body?: unknown): Promise<Response> =>
  fetch(`http://127.0.0.1:${runtime.port}${path}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', prefer: 'wait=8' },
  })
