import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDatabase } from './database.ts'
import { MIGRATIONS } from './migrations.ts'
import { START, openRig, temporaryDirectory, type Rig } from './store-rig.test-support.ts'
import { createStore } from './open-store.ts'

const fail = async (rig: Rig, programId: string, message: string, finishedAt: number) => {
  const { key, id } = await rig.start(programId)
  const error = { code: 'program_error', name: 'Error', message } as const
  await rig.change(key, { status: 'failed', finishedAt, error })
  return id
}

const errors = (rig: Rig, more: object = {}) => rig.store.overview.errors({ projectId: 'default', limit: 10, ...more })

describe('groups of failures', () => {
  it('contain similar failures, ordered by the latest failure, with the newest as example', async () => {
    const rig = openRig()
    await fail(rig, 'pay', 'card 1 declined', START + 5)
    const newest = await fail(rig, 'pay', 'card 2 declined', START + 1)
    const other = await fail(rig, 'pay', 'no such order', START + 3)
    const { items, more } = await errors(rig)
    expect(more).toBe(false)
    const { key: _, fingerprint, ...first } = items[0]!
    expect(fingerprint).toMatch(/^[0-9a-f]{32}$/)
    expect(first).toEqual({
      programId: 'pay',
      code: 'program_error',
      name: 'Error',
      message: 'card 2 declined',
      count: 2,
      firstAt: START + 1,
      lastAt: START + 5,
      exampleExecutionId: newest,
    })
    expect(items[1]).toMatchObject({ count: 1, message: 'no such order', exampleExecutionId: other })
    const listed = await rig.store.overview.list({ projectId: 'default', errorFingerprint: fingerprint, limit: 10 })
    expect(listed.items).toHaveLength(2)
  })

  it('show what the causes of the example say', async () => {
    const rig = openRig()
    const { key } = await rig.start('pay')
    const cause = {
      name: 'TypeError',
      message: 'fetch failed',
      cause: { message: 'getaddrinfo ENOTFOUND bank.example' },
    }
    const error = { code: 'effect_failed', name: 'EffectError', message: 'fetch failed', cause } as const
    await rig.change(key, { status: 'failed', finishedAt: START, error })
    const { items } = await errors(rig)
    expect(items[0]).toMatchObject({ message: 'fetch failed: getaddrinfo ENOTFOUND bank.example' })
  })

  it('belong to one Program and one project', async () => {
    const rig = openRig()
    await rig.store.projects.create({ id: 'prj_1', name: 'Shop', createdAt: START })
    await rig.deploy('shop', { projectId: 'prj_1' })
    for (const programId of ['pay', 'refund', 'shop']) await fail(rig, programId, 'declined', START)
    const { items } = await errors(rig)
    expect(items.map(({ programId }) => programId).toSorted()).toEqual(['pay', 'refund'])
    expect(new Set(items.map(({ fingerprint }) => fingerprint)).size).toBe(1)
    expect((await errors(rig, { programId: 'pay' })).items.map(({ programId }) => programId)).toEqual(['pay'])
    expect((await errors(rig, { projectId: 'prj_1' })).items.map(({ programId }) => programId)).toEqual(['shop'])
    expect((await errors(rig, { programId: 'none' })).items).toEqual([])
  })

  it('are paged', async () => {
    const rig = openRig()
    const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon']
    for (const [index, word] of words.entries()) await fail(rig, 'pay', word, START + (index % 2))
    const seen: string[] = []
    let before: { lastAt: number; key: number } | undefined
    for (let more = true; more;) {
      const page = await errors(rig, { limit: 2, ...(before && { before }) })
      seen.push(...page.items.map(({ message }) => message))
      before = page.items.at(-1)
      more = page.more
    }
    expect(seen).toEqual(['delta', 'beta', 'epsilon', 'gamma', 'alpha'])
  })

  it('are created for failures from before there were groups', async () => {
    const file = join(temporaryDirectory(), 'wes.sqlite')
    const old = openDatabase({ file, now: () => START, migrations: MIGRATIONS.slice(0, 1) })
    old.exec(`
      INSERT INTO projects (key, id, name, is_default, created_at) VALUES (1, 'default', 'Default', 1, 0);
      INSERT INTO programs (key, project, id, created_at, updated_at) VALUES (1, 1, 'pay', 0, 0);
      INSERT INTO versions (key, project, program, number, id, digest, origin, has_effects, runnable, created_at, manifest)
        VALUES (1, 1, 1, 1, 'ver_1', 'd', 'upload', 0, 1, 0, '{}')`)
    const insert = old.prepare(
      `INSERT INTO executions (id, version, status, created_at, finished_at, cancel_delivered, last_position, turns,
         last_command, buffered, error, error_message) VALUES (?, 1, 5, 1, ?, 0, 1, 1, 0, 0, ?, ?)`,
    )
    old.transaction(() => {
      for (let n = 1; n <= 2_500; n += 1) {
        const message = `card ${n} declined`
        insert.run(`exe_${n}`, n, JSON.stringify({ code: 'program_error', message }), message)
      }
    })()
    old.close()
    const store = createStore(openDatabase({ file, now: () => START }), { now: () => START, onCommitted: () => {} })
    const { items } = await store.overview.errors({ projectId: 'default', limit: 10 })
    expect(items).toMatchObject([{ count: 2_500, firstAt: 1, lastAt: 2_500, exampleExecutionId: 'exe_2500' }])
    await store.close()
  })
})
