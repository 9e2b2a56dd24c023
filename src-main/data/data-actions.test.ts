import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openDataDirectory } from '../../src-runtime/data-directory/data-directory.ts'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import type { RuntimeState } from '../preload/desktop-api.ts'
import { createDataActions } from './data-actions.ts'

const READY: RuntimeState = { kind: 'ready', url: 'u', port: 1, pid: 2, owned: true, projectFolder: null }

const rig = (initial: RuntimeState = READY, target?: string, confirmed = true) => {
  const dataDir = temporaryFolder('data')
  openDataDirectory(dataDir).release()
  const did: string[] = []
  let state = initial
  const data = createDataActions({
    dataDir,
    runtimeSwitch: {
      state: () => state,
      stop: async () => {
        did.push('stop')
        state = { kind: 'stopped' }
      },
      start: async () => void did.push(`start ${existsSync(join(dataDir, 'wes.sqlite'))}`),
    },
    openPath: async (path) => (path === dataDir ? '' : 'no'),
    pickTarget: async (name) => target?.replace('NAME', name).replace('DATA', dataDir),
    confirmReset: async () => confirmed,
    now: () => Date.parse('2026-11-20T12:00:00.000Z'),
  })
  return { dataDir, data, did }
}

/** With data whose copy takes more than one step. */
const fill = (dataDir: string): void => {
  new Database(join(dataDir, 'wes.sqlite'))
    .exec('CREATE TABLE t (data); INSERT INTO t VALUES (zeroblob(30000000))')
    .close()
}

describe('all data', () => {
  it('is reset while the runtime is stopped, which then starts again', async () => {
    const { data, did } = rig()
    await data.reset('everything')
    expect(did).toEqual(['stop', 'start false'])
  })

  it('is kept, with its runtime running, if the user cancels', async () => {
    const { data, did } = rig(READY, undefined, false)
    expect(await data.reset('everything')).toBe(false)
    expect(did).toEqual([])
  })

  it('is reset without a start if no runtime ran', async () => {
    const { data, did } = rig({ kind: 'stopped' })
    await data.reset('executions')
    expect(did).toEqual(['stop'])
  })

  it('is not reset while another process’s runtime uses it, and is kept if another one has taken it', async () => {
    const { data, did } = rig({ ...READY, owned: false })
    await expect(data.reset('everything')).rejects.toMatchObject({ code: 'not_owned' })
    expect(did).toEqual([])

    const taken = rig()
    const { release } = openDataDirectory(taken.dataDir)
    await expect(taken.data.reset('everything')).rejects.toMatchObject({ code: 'data_in_use' })
    release()
    expect(taken.did).toEqual(['stop', 'start true'])
  })

  it('is copied to the file that the user chooses', async () => {
    const { dataDir, data } = rig(READY, 'DATA/../NAME')
    rmSync(join(dataDir, 'wes.sqlite'))
    await expect(data.backUp()).rejects.toThrow('nothing to back up yet')
    writeFileSync(join(dataDir, 'wes.sqlite'), '')
    const target = await data.backUp()
    onTestFinished(() => rmSync(target ?? '', { force: true }))
    expect(target).toMatch(/wes-backup-2026-11-20\.sqlite$/)
    expect(existsSync(target ?? '')).toBe(true)
  })

  it('is not copied where nothing can be stored, which is said in a sentence', async () => {
    const { dataDir, data } = rig(READY, join(temporaryFolder('copies'), 'gone/NAME'))
    writeFileSync(join(dataDir, 'wes.sqlite'), '')
    await expect(data.backUp()).rejects.toMatchObject({
      code: 'not_stored',
      message: expect.stringMatching(/^The backup cannot be stored in \S+wes-backup-2026-11-20\.sqlite: ENOENT/),
    })
  })

  it('is copied once at a time, and not reset meanwhile', async () => {
    const copies = temporaryFolder('copies')
    const { dataDir, data, did } = rig(READY, join(copies, 'NAME'))
    fill(dataDir)
    const copied = data.backUp()
    await vi.waitUntil(() => readdirSync(copies).length > 0, { interval: 1 })
    const refusal = { code: 'invalid_request', message: 'A backup is being made. Wait until it is complete.' }
    await expect(data.backUp()).rejects.toMatchObject(refusal)
    await expect(data.reset('executions')).rejects.toMatchObject(refusal)
    expect(did).toEqual([])
    await copied
    expect(readdirSync(copies)).toEqual(['wes-backup-2026-11-20.sqlite'])
    await data.reset('everything')
    expect(did).toEqual(['stop', 'start false'])
  })

  it('leaves no incomplete copy when the app ends meanwhile', async () => {
    const copies = temporaryFolder('copies')
    const { dataDir, data } = rig(READY, join(copies, 'NAME'))
    fill(dataDir)
    const copied = data.backUp()
    copied.catch(() => undefined)
    await vi.waitUntil(() => readdirSync(copies).length > 0, { interval: 1 })
    await data.close()
    expect(readdirSync(copies)).toEqual([])
    await expect(copied).rejects.toMatchObject({ code: 'not_stored' })
  })

  it('is not copied if the user cancels', async () => {
    const { data } = rig()
    expect(await data.backUp()).toBeNull()
  })

  it('is not copied over itself', async () => {
    const { dataDir, data } = rig(READY, 'DATA/sub/../wes.sqlite')
    mkdirSync(join(dataDir, 'sub'))
    await expect(data.backUp()).rejects.toMatchObject({ code: 'invalid_request' })
  })

  it('is shown in the system’s file manager', async () => {
    await expect(rig().data.reveal()).resolves.toBeUndefined()
  })
})
