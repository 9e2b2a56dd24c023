import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { openDataDirectory, writeRuntimeInfo } from '../data-directory/data-directory.ts'
import { takeLock } from './lock.ts'
import { temporaryDirectory } from './store-rig.test-support.ts'

const HOLDER = join(import.meta.dirname, 'lock-holder.test-support.ts')

const startHolder = async (directory: string, at = 0) => {
  const args = ['--expose-gc', HOLDER, directory, String(at)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const [said] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { child, said }
}

it('is held by one process at a time, and released at once when that one is killed', async () => {
  const directory = temporaryDirectory()
  for (let round = 0; round < 3; round += 1) {
    const { child, said } = await startHolder(directory)
    expect(said).toBe('owned')
    expect(() => openDataDirectory(directory)).toThrow('in use')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const mine = openDataDirectory(directory)
    mine.release()
  }
})

it('is held by one of two processes that ask for it at the same moment', async () => {
  for (let round = 0; round < 5; round += 1) {
    const directory = temporaryDirectory()
    const at = Date.now() + 1_000
    const both = await Promise.all([startHolder(directory, at), startHolder(directory, at)])
    expect(both.filter(({ said }) => said === 'owned')).toHaveLength(1)
    for (const { child } of both) child.kill('SIGKILL')
  }
})

it('refuses another process soon, and names the owner', async () => {
  const directory = temporaryDirectory()
  const mine = openDataDirectory(directory)
  writeRuntimeInfo(directory, {
    pid: process.pid,
    port: 3477,
    instanceId: 'i',
    version: '0.1.0',
    secret: 's',
    dataDir: directory,
    projectFolder: '/project',
    startedAt: new Date().toISOString(),
  })
  const { said } = await startHolder(directory)
  expect(said).toBe(
    `DataDirectoryInUseError: data directory ${directory} is in use by process ${process.pid} at http://localhost:3477`,
  )
  mine.release()
  expect((await startHolder(directory)).said).toBe('owned')
})

it('is held once within one process', () => {
  const file = join(temporaryDirectory(), 'lock.sqlite')
  const lock = takeLock(file)
  expect(lock).toBeDefined()
  expect(takeLock(file)).toBeUndefined()
  // The failed attempt must not have released the first lock.
  expect(takeLock(file)).toBeUndefined()
  lock?.release()
  lock?.release()
  const again = takeLock(file)
  expect(again).toBeDefined()
  again?.release()
})

it('fails with a clear message if the lock file is something else', () => {
  const file = join(temporaryDirectory(), 'lock.sqlite')
  writeFileSync(file, 'not a lock'.repeat(200))
  expect(() => takeLock(file)).toThrow(/damaged/)
})
