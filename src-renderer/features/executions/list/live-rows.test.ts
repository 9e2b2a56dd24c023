import { describe, expect, it } from 'vitest'
import type { ExecutionChange, ExecutionStatus } from '#sdk/index.ts'
import type { ExecutionPage, ListedExecution } from '../../../api/executions-query.ts'
import { listed } from './listed.test-support.ts'
import { inPlace, keepingSame, newestOf, newsIn, withChanges } from './live-rows.ts'

const pageOf = (items: readonly ListedExecution[], nextCursor: string | null = null): ExecutionPage => ({
  items,
  nextCursor,
})

const AT = '2026-11-20T12:00:00.000Z'
const change = (number: number, status: ExecutionStatus): ExecutionChange => ({
  executionId: listed(number).id,
  programId: 'order',
  projectId: 'default',
  status,
  at: AT,
})

const waiting = listed(2, { status: 'waiting', startedAt: AT, waitingFor: [{ kind: 'timer', wakeAt: AT }] })

describe('a change', () => {
  it('updates its status and dependent values at once', () => {
    const page = pageOf([listed(3, { status: 'queued' }), waiting, listed(1)])
    const after = withChanges(page, newestOf([change(3, 'running'), change(2, 'running'), change(2, 'completed')]))
    expect(after.items[0]).toMatchObject({ status: 'running', startedAt: AT })
    expect(after.items[1]).toMatchObject({ status: 'completed', finishedAt: AT, waitingFor: [] })
    expect(after.items[2]).toBe(page.items[2])
    expect(withChanges(after, newestOf([change(3, 'waiting')])).items[0]).toMatchObject({ unread: true })
  })

  it('never changes a terminal status, because it is older', () => {
    const page = pageOf([listed(1, { status: 'failed' })])
    expect(withChanges(page, newestOf([change(1, 'running')]))).toBe(page)
  })

  it('of another Execution changes nothing', () => {
    const page = pageOf([waiting])
    expect(withChanges(page, newestOf([change(9, 'completed')]))).toBe(page)
  })

  it('that deletes an Execution marks only its row', () => {
    const page = pageOf([waiting, listed(1)])
    const after = withChanges(page, newestOf([{ ...change(1, 'completed'), deleted: true }]))
    expect(after.items[0]).toBe(waiting)
    expect(after.items[1]).toMatchObject({ id: listed(1).id, gone: true })
  })

  it('that cancels a queued Execution does not set its start', () => {
    const [row] = withChanges(pageOf([listed(1, { status: 'queued' })]), newestOf([change(1, 'cancelled')])).items
    expect(row).toMatchObject({ status: 'cancelled', finishedAt: AT })
    expect(row).not.toHaveProperty('startedAt')
  })
})

describe('rows that are read again', () => {
  it('stay the same objects if they are equal, even if they moved', () => {
    const before = pageOf([listed(2), listed(1)])
    const after = keepingSame(before, pageOf([listed(3), structuredClone(listed(2)), listed(1, { status: 'failed' })]))
    expect(after.items[1]).toBe(before.items[0])
    expect(after.items[2]).toMatchObject({ status: 'failed' })
  })

  it('keep their positions: none is added, and removed ones are marked', () => {
    const page = pageOf([listed(4), waiting, listed(1)], 'behind')
    const now = pageOf([listed(5), listed(4, { status: 'failed' }), listed(1)])
    expect(inPlace(page, now).items.map(({ id, status, gone }) => [id, status, gone])).toEqual([
      [listed(4).id, 'failed', undefined],
      [waiting.id, 'waiting', true],
      [listed(1).id, 'completed', undefined],
    ])
    expect(inPlace(page, now).nextCursor).toBe('behind')
  })

  it('are not marked if the answer does not include them', () => {
    const page = pageOf([listed(4), listed(3), listed(2)])
    expect(inPlace(page, pageOf([listed(5), listed(4)], 'more'))).toEqual(page)
  })

  it('are unmarked when they match again', () => {
    const page = pageOf([listed(1, { gone: true })])
    expect(inPlace(page, pageOf([listed(1)])).items).toEqual([listed(1)])
  })
})

describe('new rows', () => {
  it('are those before or between the visible ones', () => {
    const shown = pageOf([listed(9), listed(5)], 'behind')
    expect(newsIn(shown, pageOf([listed(11), listed(10), listed(9), listed(7), listed(5), listed(4)]))).toEqual({
      count: 3,
      more: false,
    })
  })

  it('are all rows if none was visible', () => {
    expect(newsIn(pageOf([]), pageOf([listed(1)]))).toEqual({ count: 1, more: false })
  })

  it('may be more than one answer contains', () => {
    expect(newsIn(pageOf([listed(1)], 'behind'), pageOf([listed(9), listed(8)], 'more'))).toEqual({
      count: 2,
      more: true,
    })
  })

  it('are none if rows were only removed', () => {
    expect(newsIn(pageOf([listed(3), listed(2)], 'b'), pageOf([listed(3), listed(1)]))).toEqual({
      count: 0,
      more: false,
    })
  })
})
