import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
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
    const gone = npmIsGone(process, 1)
    let settled = false
    void gone.then(() => (settled = true))
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(settled).toBe(false)
    process.ppid = 1
    await gone
    expect(settled).toBe(true)
  })
})
