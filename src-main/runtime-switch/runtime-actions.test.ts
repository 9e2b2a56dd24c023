import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import type { RuntimeState } from '../preload/desktop-api.ts'
import { openSettings } from '../settings/settings-store.ts'
import { createRuntimeActions } from './runtime-actions.ts'

const rig = (owned = true, givenPort?: number) => {
  const folder = temporaryFolder('actions')
  const settings = openSettings(join(folder, 'settings.json'), pino({ level: 'silent' }))
  const state: RuntimeState = { kind: 'ready', url: 'u', port: 3477, pid: 1, owned, projectFolder: null }
  const did = vi.fn()
  const ensureTrust = vi.fn(async () => {})
  const runtimeSwitch = {
    state: () => state,
    start: async () => did('start'),
    stop: async () => did('stop'),
    restart: async () => did('restart'),
  }
  const showError = vi.fn()
  const actions = createRuntimeActions({ runtimeSwitch, settings, ensureTrust, givenPort, showError })
  return { settings, did, ensureTrust, showError, actions }
}

describe('the actions on the runtime', () => {
  it('start it with the app, unless the user had stopped it', async () => {
    const { actions, settings, did } = rig()
    await actions.stop()
    expect(settings.get().runsAtStart).toBe(false)
    await actions.start()
    expect(settings.get().runsAtStart).toBe(true)
    await actions.stop()
    await actions.restart()
    expect(settings.get().runsAtStart).toBe(true)
    expect(did.mock.calls.flat()).toEqual(['stop', 'start', 'stop', 'restart'])
  })

  it('stop, start and restart it even if the choice cannot be stored, and say so', async () => {
    const { actions, settings, did, showError } = rig()
    const full = () => {
      throw new Error('The disk is full')
    }
    const change = vi.spyOn(settings, 'change').mockImplementation(full)
    await actions.stop()
    expect(showError).toHaveBeenLastCalledWith('The disk is full. The next start of the app will start the runtime.')
    change.mockRestore()
    await actions.stop()
    vi.spyOn(settings, 'change').mockImplementation(full)
    await actions.start()
    await actions.restart()
    expect(showError).toHaveBeenLastCalledWith(
      'The disk is full. The next start of the app will not start the runtime.',
    )
    expect(did.mock.calls.flat()).toEqual(['stop', 'stop', 'start', 'restart'])
  })

  it('start it only after the question about the open folder is answered', async () => {
    const { actions, did, ensureTrust } = rig()
    for (const start of [actions.start, actions.restart, () => actions.usePort(5000)]) {
      const answer = Promise.withResolvers<void>()
      ensureTrust.mockReturnValueOnce(answer.promise)
      const started = start()
      await Promise.resolve()
      expect(did).not.toHaveBeenCalled()
      answer.resolve()
      await started
      expect(did).toHaveBeenCalledOnce()
      did.mockClear()
    }
  })

  it('move it to another port permanently', async () => {
    const { actions, settings, did } = rig(true, 4000)
    expect(actions.port()).toBe(4000)
    await actions.usePort(5000)
    expect([actions.port(), settings.get().port]).toEqual([5000, 5000])
    expect(did.mock.calls.flat()).toEqual(['restart'])
    expect(rig().actions.port()).toBe(3477)
  })

  it('do not move it to a port to which browsers do not connect', async () => {
    const { actions, did, settings } = rig()
    await expect(actions.usePort(6000)).rejects.toMatchObject({ code: 'port_refused' })
    expect(did).not.toHaveBeenCalled()
    expect(settings.get().port).toBe(3477)
  })

  it('do not stop, restart or move another process’s runtime', async () => {
    const { actions, did, settings } = rig(false)
    for (const act of [actions.stop, actions.restart, () => actions.usePort(5000)]) {
      await expect(act()).rejects.toMatchObject({ code: 'not_owned' })
    }
    expect(did).not.toHaveBeenCalled()
    expect(settings.get().port).toBe(3477)
  })
})
