import type * as Fs from 'node:fs'
import { once } from 'node:events'
import { mkdirSync, rmSync, watch, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { whenProjectAppears } from './when-project-appears.ts'

const system = vi.hoisted(() => ({ hasWatches: true }))
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof Fs>()
  const watch = (...args: Parameters<typeof fs.watch>) => {
    if (!system.hasWatches) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' })
    return fs.watch(...args)
  }
  return { ...fs, watch }
})

let folder: string
let calls = 0
let end = () => {}
const onAppear = () => void (calls += 1)

beforeEach(() => {
  folder = temporaryFolder('appears')
  calls = 0
})
afterEach(() => {
  end()
  system.hasWatches = true
})

const appeared = () => vi.waitFor(() => expect(calls).toBe(1), { interval: 5 })

it('calls back soon for a folder with Programs or a config, or that was a project before', async () => {
  end = whenProjectAppears(folder, { wasProject: true, mayWatch: false }, onAppear).cancel
  await appeared()
  calls = 0
  writeFileSync(join(folder, 'wes.config.json'), '{}')
  end = whenProjectAppears(folder, { wasProject: false, mayWatch: false }, onAppear).cancel
  await appeared()
  expect(calls).toBe(1)
})

it('calls back soon for a folder that the system cannot watch', async () => {
  system.hasWatches = false
  end = whenProjectAppears(folder, { wasProject: false, mayWatch: true }, onAppear).cancel
  await appeared()
  expect(calls).toBe(1)
})

it('calls back once a folder that was deleted and created again becomes a project', async () => {
  const inner = join(folder, 'app')
  mkdirSync(inner)
  end = whenProjectAppears(inner, { wasProject: false, mayWatch: true }, onAppear).cancel
  const above = watch(folder)
  const noticed = once(above, 'change')
  rmSync(inner, { recursive: true })
  mkdirSync(inner)
  await noticed
  above.close()
  await readdir(inner)
  expect(calls).toBe(0)
  mkdirSync(join(inner, 'programs'))
  await appeared()
})

it('calls back once for an ordinary folder that is deleted, because the source says so', async () => {
  const inner = join(folder, 'app')
  mkdirSync(inner)
  const { looked, cancel } = whenProjectAppears(inner, { wasProject: false, mayWatch: true }, onAppear)
  end = cancel
  await looked
  expect(calls).toBe(0)
  rmSync(inner, { recursive: true })
  await appeared()
})

it('calls back once when an ordinary folder becomes a project', async () => {
  end = whenProjectAppears(folder, { wasProject: false, mayWatch: true }, onAppear).cancel
  writeFileSync(join(folder, 'notes.txt'), 'nothing')
  mkdirSync(join(folder, 'programs'))
  await appeared()
  writeFileSync(join(folder, 'wes.config.ts'), '')
  expect(calls).toBe(1)
})
