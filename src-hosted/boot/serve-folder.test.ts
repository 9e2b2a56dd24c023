import { cpSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { DataDirectoryInUseError } from '../../src-runtime/shared/runtime.ts'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { choosePorts, isCopy, noteOriginal, openServeFolder, writeOwner } from './serve-folder.ts'

const newFolder = (): string => temporaryFolder('serve')

it('belongs to one process at a time, which says where it is', () => {
  const folder = join(newFolder(), 'data')
  const first = openServeFolder(folder)
  onTestFinished(first.release)
  writeOwner(folder, 'http://localhost:8080')
  const refusal = () => openServeFolder(folder)
  expect(refusal).toThrow(DataDirectoryInUseError)
  expect(refusal).toThrow(`is in use by process ${process.pid} at http://localhost:8080`)
  first.release()
  openServeFolder(folder).release()
})

it('is closed to other users', () => {
  const folder = join(newFolder(), 'data')
  openServeFolder(folder).release()
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'serve.json')).mode & 0o777).toBe(0o600)
})

it('knows a copy of itself, also at its own path, until it was noted', () => {
  const folder = join(newFolder(), 'data')
  mkdirSync(join(folder, 'postgres', 'data'), { recursive: true })
  writeFileSync(join(folder, 'postgres', 'data', 'PG_VERSION'), '18')
  expect(isCopy(folder)).toBe(true)
  noteOriginal(folder)
  expect(isCopy(folder)).toBe(false)
  const backup = `${folder}-backup`
  cpSync(folder, backup, { recursive: true, preserveTimestamps: true })
  renameSync(folder, `${folder}-moved`)
  expect(isCopy(`${folder}-moved`)).toBe(false)
  renameSync(backup, folder)
  expect(isCopy(folder)).toBe(true)
  noteOriginal(folder)
  expect(isCopy(folder)).toBe(false)
})

it('keeps its ports, and chooses others for those that are taken', async () => {
  const folder = newFolder()
  const first = await choosePorts(folder)
  expect(new Set(Object.values(first)).size).toBe(5)
  expect(await choosePorts(folder)).toEqual(first)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(first.worker, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const second = await choosePorts(folder)
  expect(second).toEqual({ ...first, worker: second.worker })
  expect(second.worker).not.toBe(first.worker)
  expect(JSON.parse(readFileSync(join(folder, 'ports.json'), 'utf8'))).toEqual(second)
})
