import { describe, expect, it } from 'vitest'
import { START, openRig, type Rig } from './store-rig.test-support.ts'

const failed = { code: 'program_error', message: 'card declined' } as const

const fail = (rig: Rig, key: number) => rig.change(key, { status: 'failed', finishedAt: START, error: failed })

const countIn = (rig: Rig, table: string, column: string, key: number) =>
  rig.db.prepare<[number], number>(`SELECT count(*) FROM ${table} WHERE ${column} = ?`).pluck().get(key)

const log = { at: START, type: 'log', data: '{"level":"info","message":"x"}' } as const

describe('deleting an Execution', () => {
  it('removes everything about it, and reports that', async () => {
    const rig = openRig()
    const { key, id } = await rig.start()
    const { key: other } = await rig.start()
    const paid = { at: START, type: 'event_received', name: 'paid', data: '{"id":"evt_1"}' } as const
    await rig.change(key, { entries: [paid], eventKey: { key: 'k', bodyHash: 'h' } })
    expect(countIn(rig, 'event_keys', 'execution', key)).toBe(1)
    await fail(rig, key)
    await fail(rig, other)
    expect(await rig.store.executions.delete(key)).toEqual({ kind: 'deleted', isAll: true })
    expect(countIn(rig, 'event_keys', 'execution', key)).toBe(0)
    expect(rig.reports.at(-1)).toEqual([
      { key, executionId: id, programId: 'order', projectId: 'default', status: 'failed', at: START, deleted: true },
    ])
    expect(rig.store.executions.keyOf(id)).toBeUndefined()
    expect(rig.store.executions.record(key)).toBeUndefined()
    expect(rig.store.journal.page(key, 0, 10).items).toEqual([])
    const found = await rig.store.overview.list({ projectId: 'default', text: 'declined', limit: 10 })
    expect(found.items.map(({ head }) => head.key)).toEqual([other])
    const { items } = await rig.store.overview.errors({ projectId: 'default', limit: 10 })
    expect(items.map(({ count }) => count)).toEqual([1])
    expect(await rig.store.executions.delete(key)).toBeUndefined()
  })

  it('removes a group of failures with its last one', async () => {
    const rig = openRig()
    const { key } = await rig.start()
    await fail(rig, key)
    await rig.store.executions.delete(key)
    expect((await rig.store.overview.errors({ projectId: 'default', limit: 10 })).items).toEqual([])
  })

  it.each(['queued', 'running', 'waiting', 'cancelling'] as const)('refuses one that is %s', async (status) => {
    const rig = openRig()
    const { key } = await rig.start()
    if (status !== 'queued') await rig.change(key, { status })
    expect(await rig.store.executions.delete(key)).toEqual({ kind: 'not_finished', status })
    expect(rig.store.executions.head(key)?.status).toBe(status)
  })

  it('removes a long journal in parts, and continues after a restart', async () => {
    const rig = openRig()
    const { key } = await rig.start()
    await rig.change(key, { entries: Array.from({ length: 1_000 }, () => log) })
    await rig.change(key, { status: 'completed', finishedAt: START })
    expect(await rig.store.executions.delete(key)).toEqual({ kind: 'deleted', isAll: false })
    // What is left is asked for at once; closing waits for no more than the write that is under way.
    await rig.store.close()
    const again = openRig(rig.file)
    await expect.poll(() => countIn(again, 'journal', 'execution', key)).toBe(0)
    await expect.poll(() => countIn(again, 'deletions', 'execution', key)).toBe(0)
  })

  it('removes large payloads a few at a time, also one that is larger than what is removed at once', async () => {
    const rig = openRig()
    const { key } = await rig.start()
    const large = { ...log, data: JSON.stringify({ level: 'info', message: 'x'.repeat(900_000) }) }
    const larger = { ...log, data: JSON.stringify({ level: 'info', message: 'x'.repeat(1_100_000) }) }
    for (const entry of [large, larger, large, large]) await rig.change(key, { entries: [entry] })
    await rig.change(key, { status: 'completed', finishedAt: START })
    expect(await rig.store.executions.delete(key)).toEqual({ kind: 'deleted', isAll: false })
    expect(countIn(rig, 'journal', 'execution', key)).toBeGreaterThan(0)
    await expect.poll(() => countIn(rig, 'journal', 'execution', key)).toBe(0)
  })

  it('never reuses a key, also after a restart', async () => {
    const rig = openRig()
    await rig.start()
    const { key } = await rig.start()
    await rig.change(key, { status: 'completed', finishedAt: START })
    await rig.store.executions.delete(key)
    await rig.store.close()
    const again = openRig(rig.file)
    expect((await again.start('other')).key).toBeGreaterThan(key)
  })

  it('lets its idempotency key start another one', async () => {
    const rig = openRig()
    const version = await rig.deploy('order')
    const sent = { idempotency: { key: 'k', bodyHash: 'h' } }
    const first = await rig.store.executions.start(rig.newExecution(version, sent))
    if (first.kind !== 'started') throw new Error(first.kind)
    await rig.change(first.head.key, { status: 'cancelled', finishedAt: START })
    await rig.store.executions.delete(first.head.key)
    expect(rig.store.executions.startedWith('default', 'k')).toBeUndefined()
    const second = await rig.store.executions.start(rig.newExecution(version, sent))
    expect(second.kind).toBe('started')
    expect(await rig.store.executions.start(rig.newExecution(version, sent))).toMatchObject({ kind: 'repeated' })
  })
})
