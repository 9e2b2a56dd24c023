import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { spawnBound } from './spawn-bound.ts'

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
