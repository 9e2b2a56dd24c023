import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startWatchedRuntime, type WatchedRuntime } from './watched-runtime.ts'

let folder: string
let told: string[]
let runtime: WatchedRuntime | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wes-watched-'))
  mkdirSync(join(folder, 'src'))
  told = []
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(async () => {
  await runtime?.stop()
  runtime = undefined
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

/** Like a runtime: says that it is ready, stops when it is told to, and keeps a diary. */
const OBEDIENT = `
  const fs = require('node:fs')
  fs.appendFileSync('diary', 'start' + (process.argv[1] ?? '') + ' ')
  process.on('SIGTERM', () => { fs.appendFileSync('diary', 'stop '); process.exit(0) })
  setInterval(() => {}, 1000)
  console.log('ready http://localhost:4711')`

const start = (script: string): WatchedRuntime => {
  const args = (url: string | undefined) => [
    '-e',
    `process.chdir(${JSON.stringify(folder)});${script}`,
    ...(url === undefined ? [] : [`@${new URL(url).port}`]),
  ]
  runtime = startWatchedRuntime({ args, folders: [join(folder, 'src')], tell: (line) => void told.push(line) })
  return runtime
}
const diary = (): string => readFileSync(join(folder, 'diary'), 'utf8')
const write = (name: string): void => writeFileSync(join(folder, 'src', name), String(Math.random()))

describe('a watched runtime', () => {
  it('is ready where it says so, and stops when it is asked to', async () => {
    const { ready, stop } = start(OBEDIENT)
    expect(await ready).toBe('http://localhost:4711')
    expect(await stop()).toBe(0)
    expect(await stop()).toBe(0)
    expect(diary()).toBe('start stop ')
  })

  it('starts again where it was, after a clean stop, when its sources change', async () => {
    await start(OBEDIENT).ready
    write('a.ts')
    write('b.ts')
    await vi.waitUntil(() => diary() === 'start stop start@4711 ', { timeout: 10_000 })
    expect(told).toEqual(['the runtime starts again, because its sources changed'])
  })

  it('goes on when something else changes', async () => {
    await start(OBEDIENT).ready
    for (const name of ['a.test.ts', 'a.md', '.a.ts.swp']) write(name)
    write('a.ts') // what comes later proves that the others were seen
    await vi.waitUntil(() => diary().endsWith('start stop start@4711 '), { timeout: 10_000 })
    expect(diary()).toBe('start stop start@4711 ')
  })

  it('waits for the next change when it does not come up', async () => {
    await start(`if (require('node:fs').existsSync('src/broken.ts')) process.exit(1);${OBEDIENT}`).ready
    write('broken.ts')
    await vi.waitUntil(() => told.length === 2, { timeout: 10_000 })
    expect(told[1]).toBe('it starts again at the next change')
    rmSync(join(folder, 'src/broken.ts'))
    await vi.waitUntil(() => diary() === 'start stop start@4711 ', { timeout: 10_000 })
  })

  it('has ended when it never was ready', async () => {
    const { ready, stop } = start('process.exitCode = 1')
    expect(await ready).toBeUndefined()
    expect(await stop()).toBe(1)
  })
})
