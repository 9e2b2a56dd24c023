import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { runInstaller } from './run-installer.ts'

const FOR_EVER_MS = 2 ** 31 - 1

/** `install` is given how to report an error. */
const updaterWith = (install: (fail: (message: string) => void) => boolean) => {
  const events = new EventEmitter()
  const calls: unknown[] = []
  return Object.assign(events, {
    calls,
    install: (...how: readonly boolean[]) => {
      calls.push(how)
      return install((message) => events.emit('error', new Error(message)))
    },
  })
}

it('starts the installer, which starts the app again or works silently', async () => {
  const updater = updaterWith(() => true)
  await runInstaller(updater, true, 0)
  await runInstaller(updater, false, 0)
  expect(updater.calls).toEqual([
    [false, true],
    [true, false],
  ])
})

it('rejects with what the installer says at once, or that it did not start', async () => {
  const saying = updaterWith((fail) => {
    fail('no file')
    return false
  })
  await expect(runInstaller(saying, true, 0)).rejects.toThrow('no file')
  const silent = updaterWith(() => false)
  await expect(runInstaller(silent, true, FOR_EVER_MS)).rejects.toThrow('did not start')
})

it('rejects with what is said a moment after it seemed to have started', async () => {
  const late = updaterWith((fail) => {
    setImmediate(fail, 'spawn EACCES')
    return true
  })
  await expect(runInstaller(late, true, FOR_EVER_MS)).rejects.toThrow('spawn EACCES')
})
