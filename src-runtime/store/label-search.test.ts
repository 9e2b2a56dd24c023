import { describe, expect, it, vi } from 'vitest'
import { openDatabase } from './database.ts'
import { MIGRATIONS } from './migrations.ts'
import { join } from 'node:path'
import { openRig, START, temporaryDirectory, type Rig } from './store-rig.test-support.ts'

const completed = (label?: string) =>
  ({ status: 'completed', finishedAt: START, ...(label !== undefined && { label }) }) as const

const found = async ({ store }: Rig, label: string, limit = 10): Promise<readonly number[]> =>
  (await store.overview.list({ projectId: 'default', label, limit })).items.map(({ head }) => head.key)

const keysInIndex = ({ db }: Rig) =>
  db
    .prepare<[], number>(`SELECT rowid FROM label_search WHERE label_search MATCH '"ord" AND "rde"' ORDER BY 1`)
    .pluck()
    .all()
const markOf = ({ db }: Rig) => db.prepare<[], number>('SELECT key FROM label_mark').pluck().get()!

/** As many as a search begins to index, and some more. */
const many = async (rig: Rig): Promise<readonly number[]> => {
  const version = await rig.deploy('order')
  const heads = await Promise.all(
    Array.from({ length: 2_100 }, async () => {
      const started = await rig.store.executions.start(rig.newExecution(version))
      return started.kind === 'started' ? started.head.key : 0
    }),
  )
  await Promise.all(heads.slice(1).map((key, n) => rig.change(key, completed(`Order ${n}.`))))
  return heads
}

describe('the index of labels', () => {
  it('is not written by starts, but by searches, and has the same answers before and after', async () => {
    const rig = openRig()
    const keys = await many(rig)
    expect([keysInIndex(rig), markOf(rig)]).toEqual([[], 0])
    expect(await found(rig, 'ORDER 17.')).toEqual([keys[18]])
    await vi.waitFor(() => expect(keys.at(-1)! - markOf(rig)).toBeLessThanOrEqual(1_000))
    const mark = markOf(rig)
    expect(keysInIndex(rig)).toEqual(keys.slice(1).filter((key) => key <= mark))
    expect(await found(rig, 'ORDER 17.')).toEqual([keys[18]])
    expect(await found(rig, 'order', 2_000)).toEqual(keys.slice(100).toReversed())
    const counts = await rig.store.overview.counts({ projectId: 'default', label: 'order' })
    expect(counts.completed).toBe(keys.length - 1)
  })

  it('has the labels that come after it was written, and none of deleted Executions', async () => {
    const rig = openRig()
    const keys = await many(rig)
    await found(rig, 'order')
    await vi.waitFor(() => expect(markOf(rig)).toBeGreaterThan(keys[1]!))
    await rig.change(keys[0]!, completed('Order late'))
    expect(await found(rig, 'late')).toEqual([keys[0]])
    for (const key of [keys[0]!, keys[1]!, keys.at(-1)!]) await rig.store.executions.delete(key)
    expect(keysInIndex(rig)).not.toEqual(expect.arrayContaining([keys[0], keys[1]]))
    for (const label of ['late', 'order 0.', 'order 2098.']) expect(await found(rig, label)).toEqual([])
  })

  it('finds the labels that a database of an older version has', async () => {
    const file = join(temporaryDirectory(), 'wes.sqlite')
    const older = openDatabase({ file, now: () => START, migrations: MIGRATIONS.filter(({ version }) => version < 13) })
    older.exec(`INSERT INTO projects (key, id, name, is_default, created_at) VALUES (1, 'default', 'Default', 1, 1);
      INSERT INTO programs (key, project, id, created_at, updated_at) VALUES (1, 1, 'order', 1, 1);
      INSERT INTO versions (key, project, program, number, id, digest, origin, has_effects, runnable, created_at, manifest)
        VALUES (1, 1, 1, 1, 'ver_1', 'd', 'upload', 0, 1, 1, '{}');
      INSERT INTO executions (key, id, version, status, created_at, cancel_delivered, last_position, turns, last_command, buffered, label)
        VALUES (5, 'exe_1', 1, 4, 1, 0, 2, 1, 0, 0, 'Order 8841, Anna')`)
    older.close()
    expect(await found(openRig(file), '8841, anna')).toEqual([5])
  })
})
