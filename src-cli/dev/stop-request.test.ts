import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { STOP_MESSAGE } from '#runtime/shared/stop-message.ts'
import { npmIsGone, stopRequest } from './stop-request.ts'

const rig = () => {
  const exits: number[] = []
  let time = 0
  const process = Object.assign(new EventEmitter(), { exit: (code: number) => void exits.push(code) })
  return { exits, process, asked: stopRequest(process, () => time), after: (ms: number) => (time += ms) }
}

describe('a request to stop', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('is made by %s', async (signal) => {
    const { process, asked, exits } = rig()
    process.emit(signal)
    await asked
    expect(exits).toEqual([])
  })

  it.each(['SIGBREAK'])('is made on Windows by %s, and by a message of the parent process', async (signal) => {
    const first = rig()
    first.process.emit(signal)
    await first.asked
    const second = rig()
    second.process.emit('message', 'another message')
    const next = new Promise((resolve) => setImmediate(resolve, 'not asked'))
    expect(await Promise.race([second.asked, next])).toBe('not asked')
    second.process.emit('message', STOP_MESSAGE)
    second.after(1_000)
    second.process.emit('message', STOP_MESSAGE)
    await second.asked
    expect([...first.exits, ...second.exits]).toEqual([])
  })

  it('does not keep a process alive that has a channel to its parent', async () => {
    const url = new URL('./stop-request.ts', import.meta.url).href
    const code = `import(${JSON.stringify(url)}).then(({ stopRequest }) => void stopRequest(process))`
    const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('ends the process at once when it is repeated', () => {
    const { process, exits, after } = rig()
    process.emit('SIGTERM')
    after(1_000)
    process.emit('SIGINT')
    expect(exits).toEqual([130])
  })

  it('is one request when npm forwards the signal of the terminal', () => {
    const { process, exits, after } = rig()
    process.emit('SIGINT')
    after(5)
    process.emit('SIGINT')
    expect(exits).toEqual([])
  })
})

describe('a runtime that npm started', () => {
  it('stops when its parent is gone', async () => {
    const process = { ppid: 5, env: { npm_lifecycle_event: 'wes' } }
    const gone = npmIsGone(process, 1, () => true)
    let settled = false
    void gone.then(() => (settled = true))
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(settled).toBe(false)
    process.ppid = 1
    await gone
    expect(settled).toBe(true)
  })

  it('stops when its parent is gone on Windows, where it keeps the parent’s number', async () => {
    let isAlive = true
    const gone = npmIsGone({ ppid: 5, env: { npm_lifecycle_event: 'wes' } }, 1, (pid) => pid === 5 && isAlive)
    let settled = false
    void gone.then(() => (settled = true))
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(settled).toBe(false)
    isAlive = false
    await gone
    expect(settled).toBe(true)
  })
})
