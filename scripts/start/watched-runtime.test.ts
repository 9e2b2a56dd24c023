import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { startWatchedRuntime, type WatchedRuntime } from './watched-runtime.ts'

let folder: string
let told: string[]
let runtime: WatchedRuntime | undefined
beforeEach(() => {
  folder = temporaryFolder('watched')
  mkdirSync(join(folder, 'src'))
  told = []
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(async () => {
  await runtime?.stop()
  runtime = undefined
  vi.restoreAllMocks()
})

/** Like a runtime: prints that it is ready, stops on a signal, and logs that to a file. */
const OBEDIENT = `
  const fs = require('node:fs')
  fs.appendFileSync('log', 'start' + (process.argv[1] ?? '') + ' ')
  process.on('SIGTERM', () => { fs.appendFileSync('log', 'stop '); process.exit(0) })
  setInterval(() => {}, 1000)
  console.log('ready http://localhost:4711')`

const start = (script: string, platform = process.platform): WatchedRuntime => {
  const args = (url: string | undefined) => [
    '-e',
    `process.chdir(${JSON.stringify(folder)});${script}`,
    ...(url === undefined ? [] : [`@${new URL(url).port}`]),
  ]
  runtime = startWatchedRuntime({
    args,
    folders: [join(folder, 'src')],
    print: (line) => void told.push(line),
    platform,
  })
  return runtime
}
const log = (): string => readFileSync(join(folder, 'log'), 'utf8')
const write = (name: string): void => writeFileSync(join(folder, 'src', name), String(Math.random()))

describe('a watched runtime', () => {
  it('reports its URL when it is ready, and stops', async () => {
    const { ready, stop } = start(OBEDIENT)
    expect(await ready).toBe('http://localhost:4711')
    expect(await stop()).toBe(0)
    expect(await stop()).toBe(0)
    expect(log()).toBe('start stop ')
  })

  it('stops on a message on Windows, where a signal would end it at once', async () => {
    const hears = `process.on('message', (m) => { require('node:fs').appendFileSync('log', m); process.exit(0) })`
    const { ready, stop } = start(`${OBEDIENT};${hears}`, 'win32')
    await ready
    expect(await stop()).toBe(0)
    expect(log()).toBe('start wes:stop')
  })

  it('restarts on the same port, after a clean stop, when its sources change', async () => {
    await start(OBEDIENT).ready
    write('a.ts')
    write('b.ts')
    await vi.waitUntil(() => log() === 'start stop start@4711 ')
    expect(told).toEqual(['restarting the runtime, because its sources changed'])
  })

  it('does not restart when other files change', async () => {
    await start(OBEDIENT).ready
    for (const name of ['a.test.ts', 'a.md', '.a.ts.swp']) write(name)
    write('a.ts') // the later change proves that the earlier ones were seen
    await vi.waitUntil(() => log().endsWith('start stop start@4711 '))
    expect(log()).toBe('start stop start@4711 ')
  })

  it('waits for the next change if it fails to start', async () => {
    await start(`if (require('node:fs').existsSync('src/broken.ts')) process.exit(1);${OBEDIENT}`).ready
    write('broken.ts')
    await vi.waitUntil(() => told.length === 2)
    expect(told[1]).toBe('the runtime did not start; waiting for the next change')
    rmSync(join(folder, 'src/broken.ts'))
    await vi.waitUntil(() => log() === 'start stop start@4711 ')
  })

  it('has no URL if it never was ready', async () => {
    const { ready, stop } = start('process.exitCode = 1')
    expect(await ready).toBeUndefined()
    expect(await stop()).toBe(1)
  })
})
