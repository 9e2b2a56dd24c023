import { describe, expect, it } from 'vitest'
import { queuedHead } from '../engine/memory-row.ts'
import { createRecentExecutions } from './recent-executions.ts'
import { openRig } from './store-rig.test-support.ts'

const headOf = (key: number) => ({
  ...queuedHead({ id: `exe_${key}`, programId: 'order', createdAt: 1 }),
  key,
})

describe('recent Executions', () => {
  it('are found by key and by id, as they were kept last', () => {
    const recent = createRecentExecutions()
    recent.keep({ head: headOf(1), input: '{}' })
    recent.keep({ head: { ...headOf(1), status: 'completed' }, input: '{}', result: '{"result":1}' })
    expect(recent.keyOf('exe_1')).toBe(1)
    expect(recent.get(1)).toMatchObject({ head: { status: 'completed' }, result: '{"result":1}' })
    recent.drop(1)
    expect(recent.get(1)).toBeUndefined()
    expect(recent.keyOf('exe_1')).toBeUndefined()
  })

  it('are the newest 512, with 4 MiB of inputs and results', () => {
    const recent = createRecentExecutions()
    for (let key = 1; key <= 600; key++) recent.keep({ head: headOf(key) })
    expect(recent.get(88)).toBeUndefined()
    expect(recent.keyOf('exe_88')).toBeUndefined()
    expect(recent.get(89)).toBeDefined()
    const text = `"${'x'.repeat(30_000)}"`
    for (let key = 601; key <= 800; key++) recent.keep({ head: headOf(key), input: text })
    const kept = Array.from({ length: 800 }, (_, index) => recent.get(index + 1)?.input?.length ?? 0)
    const length = kept.reduce((sum, one) => sum + one, 0)
    expect(length).toBeLessThanOrEqual(4 * 1024 * 1024)
    expect(length).toBeGreaterThan(4 * 1024 * 1024 - 2 * text.length)
    expect(recent.get(800)?.input).toBe(text)
  })

  it('keep no long input and no long result', () => {
    const recent = createRecentExecutions()
    recent.keep({ head: headOf(1), input: '{}', result: `{"result":"${'x'.repeat(40_000)}"}` })
    expect(recent.get(1)).toEqual({ head: headOf(1) })
  })

  it('are read as the database holds them: after a write, a write that was undone, and a delete', async () => {
    const rig = openRig()
    const { key, id } = await rig.start()
    const stored = () => rig.db.prepare('SELECT last_position, turns, status FROM executions WHERE key = ?').get(key)
    const read = () => {
      const { head } = rig.store.executions.whole(key)!
      return { position: head.lastPosition, turns: head.turns, status: head.status }
    }
    await rig.change(key, { entries: [{ at: 1, type: 'log', data: '{}' }], turns: 1, status: 'waiting' })
    expect(read()).toEqual({ position: 2, turns: 1, status: 'waiting' })
    await expect(
      rig.change(key, { entries: [{ at: 1, type: 'log', data: '{}' }], turns: 2, closed: [7] }),
    ).rejects.toThrow('command 7')
    expect(read()).toEqual({ position: 2, turns: 1, status: 'waiting' })
    expect(stored()).toEqual({ last_position: 2, turns: 1, status: 2 })
    await rig.change(key, {
      entries: [{ at: 2, type: 'execution_completed', data: '{"result":1}' }],
      status: 'completed',
      finishedAt: 2,
    })
    expect(rig.store.executions.findOutcome(id)?.outcome).toEqual({ status: 'completed', result: '{"result":1}' })
    await rig.store.executions.delete(key)
    expect(rig.store.executions.whole(key)).toBeUndefined()
    expect(rig.store.executions.find(id)).toBeUndefined()
  })
})
