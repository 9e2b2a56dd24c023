import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { spawnBound, untilReady } from './spawn-bound.ts'

it('rejects when the system does not start a process, and ends nothing else', async () => {
  const parent = temporaryFolder('bound')
  const onUnhandled = vi.fn()
  process.on('unhandledRejection', onUnhandled)
  onTestFinished(() => void process.off('unhandledRejection', onUnhandled))
  const folder = join(parent, 'was-removed')
  const program = { command: 'sleep', args: ['60'], env: process.env, folder, logFile: join(parent, 'log') }
  await expect(spawnBound(program)).rejects.toThrow('ENOENT')
  expect(onUnhandled).not.toHaveBeenCalled()
})

it.runIf(process.platform === 'linux')('says that the disk is full when a program ends at its start', async () => {
  const parent = temporaryFolder('bound')
  const endIn = async (folder: string): Promise<void> => {
    const program = { command: 'false', args: [], env: process.env, folder, logFile: join(parent, 'log') }
    await untilReady(await spawnBound(program), () => false)
  }
  await expect(endIn(parent)).rejects.toThrow(/^it has ended$/)
  // A file system on which there is no room.
  await expect(endIn('/proc')).rejects.toThrow('it has ended: the disk that holds /proc is full')
})
