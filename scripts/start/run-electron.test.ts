import { EventEmitter } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { classifyExit, runElectron } from './run-electron.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder('run-electron')
})
/** Node instead of the Electron binary. */
const run = (
  script: string,
  env: Readonly<Record<string, string>> = {},
  { signals = new EventEmitter(), platform = process.platform, npmIsGone = new Promise<void>(() => undefined) } = {},
) =>
  runElectron(
    { executable: process.execPath, args: ['-e', script], env, folder, takesMessages: true },
    { signals: signals as never, platform, npmIsGone },
  )

describe('the desktop app', () => {
  it('ends with its own exit code', async () => {
    expect(await run('')).toEqual({ kind: 'ended', exitCode: 0 })
    expect(await run('process.exitCode = 1')).toEqual({ kind: 'ended', exitCode: 1 })
  })

  it('has failed to start if it ends at once', async () => {
    const why = (how: string) => ({ kind: 'failed', why: `Electron stopped at once (${how})` })
    expect(await run('process.exitCode = 127')).toEqual(why('exit code 127'))
    expect(await run('process.kill(process.pid, "SIGTRAP")')).toEqual(why('SIGTRAP'))
  })

  it('has failed to start if it cannot be spawned', async () => {
    const command = { executable: join(folder, 'none'), args: [], env: {}, folder, takesMessages: true }
    expect(await runElectron(command)).toMatchObject({ kind: 'failed', why: expect.stringContaining('ENOENT') })
  })

  it('runs as Electron even if ELECTRON_RUN_AS_NODE is set', async () => {
    const script = 'process.exitCode = "ELECTRON_RUN_AS_NODE" in process.env ? 1 : 0'
    expect(await run(script, { ELECTRON_RUN_AS_NODE: '1' })).toEqual({ kind: 'ended', exitCode: 0 })
  })

  it('gets each signal once, and is not killed while it stops', async () => {
    const signals = new EventEmitter()
    const script = `
      const fs = require('node:fs')
      const said = []
      process.on('SIGINT', () => {
        said.push('SIGINT')
        setTimeout(() => { fs.writeFileSync('said', said.join()); process.exit(0) }, 100)
      })
      setInterval(() => {}, 1000)
      fs.writeFileSync('up', '')`
    const ended = run(script, {}, { signals })
    await vi.waitUntil(() => existsSync(join(folder, 'up')))
    signals.emit('SIGINT', 'SIGINT')
    expect(await ended).toEqual({ kind: 'ended', exitCode: 0 })
    expect(readFileSync(join(folder, 'said'), 'utf8')).toBe('SIGINT')
    expect(signals.listenerCount('SIGINT')).toBe(0)
  })

  it('gets a message on Windows, where a signal would end it at once', async () => {
    const signals = new EventEmitter()
    const script = `
      const fs = require('node:fs')
      process.on('message', (message) => { fs.writeFileSync('said', message); process.exit(3) })
      fs.writeFileSync('up', '')`
    const ended = run(script, {}, { signals, platform: 'win32' })
    await vi.waitUntil(() => existsSync(join(folder, 'up')))
    signals.emit('SIGHUP', 'SIGHUP')
    expect(await ended).toEqual({ kind: 'ended', exitCode: 3 })
    expect(readFileSync(join(folder, 'said'), 'utf8')).toBe('wes:stop')
  })

  it('stops when npm is gone, which does not pass on every signal', async () => {
    const script = `
      const fs = require('node:fs')
      process.on('SIGTERM', () => process.exit(4))
      setInterval(() => {}, 1000)
      fs.writeFileSync('up', '')`
    const npmIsGone = vi.waitUntil(() => existsSync(join(folder, 'up'))).then(() => undefined)
    expect(await run(script, {}, { npmIsGone })).toEqual({ kind: 'ended', exitCode: 4 })
  })

  it('has not failed if it was told to stop', async () => {
    const signals = new EventEmitter()
    const ended = run('require("node:fs").writeFileSync("up", ""); setInterval(() => {}, 1000)', {}, { signals })
    await vi.waitUntil(() => existsSync(join(folder, 'up')))
    signals.emit('SIGTERM', 'SIGTERM')
    expect(await ended).toEqual({ kind: 'ended', exitCode: 0 })
  })

  it('has started if it ran for five seconds', () => {
    const exit = { code: null, signal: 'SIGSEGV', stopRequested: false, ranMs: 5_001 } as const
    expect(classifyExit(exit)).toEqual({ kind: 'ended', exitCode: 139 })
    expect(classifyExit({ ...exit, code: 3, signal: null })).toEqual({ kind: 'ended', exitCode: 3 })
  })
})
