import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { type SecondInstance, takeInstanceLock } from './single-instance.ts'

const root = mkdtempSync(join(tmpdir(), 'standin-lock-'))
afterAll(() => rmSync(root, { recursive: true }))

const NOBODY: SecondInstance = { argv: [], workingDirectory: '/', additionalData: undefined }

it('is held by one process at a time, which gets the messages of others, and can be released', async () => {
  const folder = join(root, 'shared')
  const heard: SecondInstance[] = []
  const release = takeInstanceLock(folder, NOBODY, (second) => heard.push(second))
  expect(release).toBeTypeOf('function')
  const told = { argv: ['electron', 'wes://x'], workingDirectory: '/somewhere', additionalData: { a: 1 } }
  expect(takeInstanceLock(folder, told, () => {})).toBeUndefined()
  await vi.waitUntil(() => heard.length > 0)
  expect(heard).toEqual([told])
  release!()
  const again = takeInstanceLock(folder, NOBODY, () => {})
  expect(again).toBeTypeOf('function')
  again!()
})

it('is taken from a process that ended without releasing it', () => {
  const folder = join(root, 'stale')
  const dead = spawnSync(process.execPath, ['-e', '']).pid
  mkdirSync(join(folder, 'SingletonStandIn'), { recursive: true })
  symlinkSync(String(dead), join(folder, 'SingletonStandIn/lock'))
  const release = takeInstanceLock(folder, NOBODY, () => {})
  expect(release).toBeTypeOf('function')
  release!()
})

it('is not taken in a folder that cannot be written to', () => {
  const file = join(root, 'file')
  writeFileSync(file, '')
  expect(takeInstanceLock(file, NOBODY, () => {})).toBeUndefined()
})
