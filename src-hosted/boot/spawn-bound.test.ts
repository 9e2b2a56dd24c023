import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { spawnBound } from './spawn-bound.ts'

it('rejects when the system does not start a process, and ends nothing else', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'wes-bound-'))
  const onUnhandled = vi.fn()
  process.on('unhandledRejection', onUnhandled)
  onTestFinished(() => {
    process.off('unhandledRejection', onUnhandled)
    rmSync(parent, { recursive: true })
  })
  const folder = join(parent, 'was-removed')
  const program = { command: 'sleep', args: ['60'], env: process.env, folder, logFile: join(parent, 'log') }
  await expect(spawnBound(program)).rejects.toThrow('ENOENT')
  expect(onUnhandled).not.toHaveBeenCalled()
})
