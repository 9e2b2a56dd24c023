import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createSquirrelInstall } from './squirrel-install.ts'

const rig = () => {
  const events = new EventEmitter()
  const calls: string[] = []
  let quits: () => void = () => undefined
  const install = createSquirrelInstall(
    Object.assign(events, {
      checkForUpdates: () => void calls.push('check'),
      quitAndInstall: () => void calls.push('quit'),
    }),
    (listener) => (quits = listener),
  )
  const faults: unknown[] = []
  const onFailed = (error: unknown): void => void faults.push(error)
  return {
    calls,
    faults,
    restart: () => install.restart(onFailed),
    prepare: () => install.prepare(onFailed),
    cancelRestart: install.cancelRestart,
    forget: install.forget,
    atEnd: install.atEnd,
    quits: () => quits(),
    loaded: () => events.emit('update-downloaded'),
    fail: (error: Error) => events.emit('error', error),
  }
}

describe('an update that Squirrel installs', () => {
  it('restarts the app once Squirrel has loaded it', () => {
    const { calls, restart, loaded } = rig()
    restart()
    expect(calls).toEqual(['check'])
    loaded()
    expect(calls).toEqual(['check', 'quit'])
  })

  it('is loaded when the user chooses to install it later, and restarts the app at once when asked then', () => {
    const { calls, prepare, restart, loaded } = rig()
    prepare()
    loaded()
    expect(calls).toEqual(['check'])
    restart()
    expect(calls).toEqual(['check', 'quit'])
  })

  it('is loaded once if the user changes the answer meanwhile', () => {
    const { calls, prepare, restart, loaded } = rig()
    prepare()
    restart()
    loaded()
    expect(calls).toEqual(['check', 'quit'])
  })

  it('does not restart the app after a restart that failed, if the user chooses to install it later', () => {
    const { calls, faults, prepare, restart, loaded, fail } = rig()
    const error = new Error('no room')
    restart()
    fail(error)
    expect(faults).toEqual([error])
    prepare()
    loaded()
    expect(calls).toEqual(['check', 'check'])
  })

  it('does not restart the app when Squirrel is done too late', () => {
    const { calls, restart, cancelRestart, loaded } = rig()
    restart()
    cancelRestart()
    loaded()
    expect(calls).toEqual(['check'])
  })

  it('starts the app again if it was opened while it ended', async () => {
    const { calls, prepare, loaded, atEnd, quits } = rig()
    prepare()
    loaded()
    const starts = atEnd(true)
    expect(calls).toEqual(['check', 'quit'])
    quits()
    expect(await starts).toBe(true)
  })

  it('is installed without a start if nobody opened the app, and asked for once', async () => {
    const { calls, prepare, restart, loaded, atEnd } = rig()
    prepare()
    loaded()
    expect(await atEnd(false)).toBe(true)
    restart()
    expect(await atEnd(true)).toBe(true)
    expect(calls).toEqual(['check', 'quit'])
  })

  it('leaves the start to the app if Squirrel has no update yet, or fails', async () => {
    const { prepare, loaded, atEnd, fail } = rig()
    prepare()
    expect(await atEnd(true)).toBe(false)
    loaded()
    const starts = atEnd(true)
    fail(new Error('no room'))
    expect(await starts).toBe(false)
  })

  it('is loaded again if another one was downloaded', () => {
    const { calls, prepare, restart, loaded, forget } = rig()
    prepare()
    loaded()
    forget()
    restart()
    loaded()
    expect(calls).toEqual(['check', 'check', 'quit'])
  })
})
