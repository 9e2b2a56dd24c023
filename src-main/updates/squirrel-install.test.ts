import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createSquirrelInstall } from './squirrel-install.ts'

const rig = () => {
  const events = new EventEmitter()
  const calls: string[] = []
  const install = createSquirrelInstall(
    Object.assign(events, {
      checkForUpdates: () => void calls.push('check'),
      quitAndInstall: () => void calls.push('quit'),
    }),
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
