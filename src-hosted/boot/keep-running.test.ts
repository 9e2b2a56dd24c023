import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { keepRunning } from './keep-running.ts'
import { spawnBound } from './spawn-bound.ts'

const log = pino({ level: 'silent' })
const folder = mkdtempSync(join(tmpdir(), 'wes-keep-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('starts again what has ended, until it is stopped', async () => {
  const pids: number[] = []
  let refusals = 0
  const kept = await keepRunning(
    'sleep',
    async () => {
      if (pids.length === 1 && ++refusals === 1) throw new Error('not yet')
      const logFile = join(folder, 'sleep.log')
      const { pid, ended, signal } = await spawnBound({
        command: 'sleep',
        args: ['60'],
        env: process.env,
        folder,
        logFile,
      })
      pids.push(pid)
      return {
        ended,
        stop: () => {
          signal('SIGTERM')
          return ended
        },
      }
    },
    log,
  )
  process.kill(pids[0]!, 'SIGKILL')
  await vi.waitUntil(() => pids.length === 2)
  expect(refusals).toBe(2)
  await Promise.all([kept.stop(), kept.stop()])
  expect(pids).toHaveLength(2)
  expect(() => process.kill(pids[1]!, 0)).toThrow('ESRCH')
})

it('rejects when the first start fails', async () => {
  const start = () => Promise.reject(new Error('no such program'))
  await expect(keepRunning('nothing', start, log)).rejects.toThrow('no such program')
})

it('says once a minute that a start takes long', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const warn = vi.spyOn(log, 'warn')
  const { promise, reject } = Promise.withResolvers<never>()
  const kept = keepRunning('PostgreSQL', () => promise, log)
  vi.advanceTimersByTime(120_000)
  expect(warn.mock.calls).toEqual(Array(2).fill(['PostgreSQL is still starting; its log may say why']))
  reject(new Error('it has ended'))
  await expect(kept).rejects.toThrow('it has ended')
  expect(vi.getTimerCount()).toBe(0)
})
