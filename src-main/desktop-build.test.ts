import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { createRuntime } from '../src-runtime/create-runtime.ts'
import type { Runtime } from '../src-runtime/shared/runtime.ts'
import { CHILD_PROCESSES, UPGRADE } from '../scripts/runtime-files.ts'
import { type Fork, nodeFork } from '../src-runtime/shared/fork.ts'
import { openDatabase } from '../src-runtime/store/database.ts'
import { MIGRATIONS } from '../src-runtime/store/migrations.ts'
import { upgradeApart } from '../src-runtime/store/upgrade-apart.ts'

const ROOT = join(import.meta.dirname, '..')
const ELECTRON_VITE = join(
  dirname(createRequire(import.meta.url).resolve('electron-vite/package.json')),
  'bin/electron-vite.js',
)

// Within the repository, because the build finds its packages from where it lies.
const CACHE = join(ROOT, 'node_modules/.cache')
let build: string
let folder: string

beforeAll(() => {
  mkdirSync(CACHE, { recursive: true })
  build = mkdtempSync(join(CACHE, 'desktop-build-'))
  folder = mkdtempSync(join(tmpdir(), 'wes-desktop-build-'))
  execFileSync(process.execPath, [ELECTRON_VITE, 'build', '--outDir', build], { cwd: ROOT, stdio: 'pipe' })
})

afterAll(() => {
  for (const made of [build, folder]) rmSync(made, { recursive: true, force: true })
})

describe('the built desktop app', () => {
  it('has the entry of package.json, and a page', () => {
    expect(existsSync(join(build, 'main/src-main/main.js'))).toBe(true)
    expect(existsSync(join(build, 'renderer/index.html'))).toBe(true)
  })

  it('has a preload for a sandboxed page: one CommonJS file that needs only Electron', () => {
    const code = readFileSync(join(build, 'preload/index.cjs'), 'utf8')
    expect([...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name)).toEqual(['electron'])
    expect(code).not.toMatch(/^(?:import|export)\b/m)
    expect(readdirSync(join(build, 'preload'))).toEqual(['index.cjs'])
  })

  it('has each child process in one file, which imports no other: it lies outside of a package’s archive', () => {
    for (const entry of CHILD_PROCESSES) {
      const code = readFileSync(join(build, 'main', entry.replace(/ts$/, 'js')), 'utf8')
      const imported = [...code.matchAll(/^import\b[^'"]*['"]([^'"]+)['"]|\bimport\(["']([^"']+)/gm)]
      expect(imported.map(([, at, later]) => at ?? later).filter((name) => !name?.startsWith('node:'))).toEqual([])
    }
  })

  it('upgrades a database where only the binary of its packages is beside the archive', async () => {
    const at = (path: string): string => join(folder, 'app.asar.unpacked', path)
    for (const path of [UPGRADE.replace(/ts$/, 'js'), 'package.json']) {
      cpSync(join(build, 'main', path), at(join('out/main', path)))
    }
    const binaries = 'node_modules/better-sqlite3/prebuilds'
    cpSync(join(ROOT, binaries), at(binaries), { recursive: true })
    const file = join(folder, 'old.sqlite')
    const db = openDatabase({ file, now: Date.now, migrations: MIGRATIONS.slice(0, -1) })
    const copies: string[] = []
    const start: Fork['start'] = (_file, args, options) =>
      nodeFork.start(at(`out/main/${UPGRADE.replace(/ts$/, 'js')}`), args, options)
    await upgradeApart(db, { fork: { ...nodeFork, start }, onUpgrade: (copy) => void copies.push(copy) })
    expect(copies).toEqual([expect.stringMatching(/old\.sqlite\.schema-\d+\..*\.backup/)])
    db.close()
    const onUpgrade = (): never => expect.fail('it is upgraded')
    openDatabase({ file, now: Date.now, onUpgrade }).close()
  })

  it('contains a whole runtime: its child processes and all files that it reads', async () => {
    const entry = pathToFileURL(join(build, 'main/src-runtime/create-runtime.js')).href
    const built = (await import(/* @vite-ignore */ entry)) as { createRuntime: typeof createRuntime }
    const projectFolder = writeProject()
    const log = pino({ level: 'silent' })
    const runtime = await built.createRuntime({ dataDir: join(folder, 'data'), port: 0, projectFolder, log })
    try {
      expect((await ask(runtime, '/')).status).toBe(200)
      const program = { code: '({ run: async (ctx, input) => { await ctx.sleep(1); return { hello: input.name } } })' }
      await ask(runtime, '/v1/programs/deploy', { format: 'wes.program/1', id: 'uploaded', program })
      expect(await resultOf(runtime, 'uploaded')).toEqual({ status: 'completed', result: { hello: 'ada' } })

      await vi.waitUntil(async () => (await ask(runtime, '/v1/programs/compiled')).status === 200)
      expect(await resultOf(runtime, 'compiled')).toEqual({ status: 'completed', result: 'HELLO ADA' })
    } finally {
      await runtime.stop()
    }
  })
})

/** A project with an effect, so that compiler, evaluator and effect host have something to do. */
const writeProject = (): string => {
  const programs = join(folder, 'project/programs')
  mkdirSync(programs, { recursive: true })
  writeFileSync(
    join(programs, 'greet.effects.ts'),
    `export async function shout(text: string): Promise<string> { return text.toUpperCase() }`,
  )
  writeFileSync(
    join(programs, 'greet.ts'),
    `import { defineProgram } from 'workflow-execution-service'
import { shout } from './greet.effects.ts'
export default defineProgram({ id: 'compiled' }, async (_ctx, input: { name: string }) => shout('hello ' + input.name))`,
  )
  return join(folder, 'project')
}

const resultOf = async (runtime: Runtime, programId: string): Promise<unknown> => {
  const started = await ask(runtime, '/v1/executions', { programId, input: { name: 'ada' } })
  const { id } = (await started.json()) as { id: string }
  return (await ask(runtime, `/v1/executions/${id}/result`)).json()
}

const ask = async (runtime: Runtime, path: string, body?: unknown): Promise<Response> =>
  fetch(`http://127.0.0.1:${runtime.port}${path}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', prefer: 'wait=10' },
  })
