import type * as Fs from 'node:fs'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { watchFolders } from './watch-folders.ts'

const system = vi.hoisted(() => ({
  hasWatches: true,
  fault: 'EMFILE',
  inode: undefined as number | undefined,
  mountedOver: undefined as string | undefined,
}))
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof Fs>()
  const watch = (...args: Parameters<typeof fs.watch>) => {
    if (!system.hasWatches) throw Object.assign(new Error('too many open files'), { code: system.fault })
    return fs.watch(...args)
  }
  const statSync = (...args: Parameters<typeof fs.statSync>) => {
    const found = fs.statSync(...args)
    if (found && args[0] === system.mountedOver) return Object.assign(found, { dev: 1, ino: 1 })
    return found && system.inode !== undefined ? Object.assign(found, { ino: system.inode }) : found
  }
  return { ...fs, watch, statSync }
})

it('asks for another scan only when it began to watch a folder, not when the system has no watches left', () => {
  const folder = temporaryFolder('watch')
  const troubles: string[] = []
  const watching = watchFolders(
    () => {},
    (why) => troubles.push(why),
  )
  onTestFinished(watching.stop)
  system.hasWatches = false
  expect([watching.set([folder]), watching.set([folder])]).toEqual([false, false])
  expect(troubles).toEqual(['the system cannot watch the project: too many open files'])
  system.hasWatches = true
  expect([watching.set([folder]), watching.set([folder])]).toEqual([true, false])
})

it('watches a folder that was deleted and created again, also with the same inode', async () => {
  const folder = temporaryFolder('watch')
  const told = new Set<string | undefined>()
  const watching = watchFolders(
    (_folder, file) => told.add(file),
    () => {},
  )
  onTestFinished(watching.stop)
  system.inode = 1
  onTestFinished(() => {
    system.inode = undefined
  })
  watching.set([folder])
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  await vi.waitFor(() => {
    watching.set([folder])
    writeFileSync(join(folder, 'a.ts'), '')
    expect(told).toContain('a.ts')
  })
})

const watchedByTheSecond = () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => {
    Object.assign(system, { hasWatches: true, fault: 'EMFILE', inode: undefined, mountedOver: undefined })
    vi.useRealTimers()
  })
  const onHint = vi.fn()
  const watching = watchFolders(onHint, () => {})
  onTestFinished(watching.stop)
  const hintsInNextSecond = () => {
    onHint.mockClear()
    vi.advanceTimersByTime(1_000)
    return onHint.mock.calls.length
  }
  return { watching, hintsInNextSecond }
}

it('asks for another scan when something else is mounted over the first folder, or it could not be watched', () => {
  const folder = temporaryFolder('watch')
  const { watching, hintsInNextSecond } = watchedByTheSecond()
  Object.assign(system, { hasWatches: false, fault: 'EACCES', inode: 1 })
  watching.set([folder])
  expect(hintsInNextSecond()).toBe(1)
  system.hasWatches = true
  watching.set([folder])
  expect(hintsInNextSecond()).toBe(0)
  system.inode = 2
  expect(hintsInNextSecond()).toBe(1)
  watching.set([folder])
  expect(hintsInNextSecond()).toBe(0)
})

it('asks for another scan when something is mounted over a folder below the first one, and when it is gone again', () => {
  const folder = temporaryFolder('watch')
  const below = join(folder, 'below')
  mkdirSync(below)
  const { watching, hintsInNextSecond } = watchedByTheSecond()
  watching.set([folder, below])
  expect(hintsInNextSecond()).toBe(0)
  for (const mounted of [below, undefined]) {
    system.mountedOver = mounted
    expect(hintsInNextSecond()).toBe(1)
    watching.set([folder, below])
    expect(hintsInNextSecond()).toBe(0)
  }
})

it('watches nothing more once it was stopped, also when a scan ends after that', async () => {
  const folder = temporaryFolder('watch')
  const told = new Set<string>()
  const stopped = watchFolders(
    () => told.add('stopped'),
    () => {},
  )
  const running = watchFolders(
    () => told.add('running'),
    () => {},
  )
  onTestFinished(running.stop)
  stopped.stop()
  stopped.set([folder])
  running.set([folder])
  await vi.waitFor(() => {
    writeFileSync(join(folder, 'a.ts'), '')
    expect(told).toContain('running')
  })
  expect(told).not.toContain('stopped')
})
