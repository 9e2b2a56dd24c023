import { describe, expect, it } from 'vitest'
import type { LiveBatch } from '../api/live-changes.ts'
import { paceOf } from './live-cache.ts'

const NOTHING: LiveBatch = { executions: [], programs: false, source: false, runtime: false, anything: false }
const RAN: LiveBatch = {
  ...NOTHING,
  executions: [{ executionId: 'exe_1', programId: 'order', projectId: 'default', status: 'waiting', at: '' }],
}

const refreshEvery = (...given: Parameters<typeof paceOf>) => paceOf(...given)?.everyMs

describe('queries are read again', () => {
  it('when Executions run: lists, counts once a second, and totals by Program now and then', () => {
    expect(refreshEvery(['local', 'any', 'execution', 'exe_1'], RAN)).toBe(150)
    expect(refreshEvery(['local', 'any', 'history', 'exe_1'], RAN)).toBe(150)
    expect(refreshEvery(['local', 'any', 'execution', 'exe_2'], RAN)).toBeUndefined()
    expect(refreshEvery(['local', null, 'counts', {}], RAN)).toBe(1_000)
    expect(refreshEvery(['local', null, 'volume', 'order', null], RAN)).toBe(5_000)
    expect(refreshEvery(['local', null, 'volume', 'other', null], RAN)).toBeUndefined()
    expect(refreshEvery(['local', null, 'runs-again', null, ['exe_2']], RAN)).toBe(1_000)
    expect(refreshEvery(['local', null, 'runs-again', 'order', ['exe_2']], RAN)).toBe(1_000)
    expect(refreshEvery(['local', null, 'runs-again', 'other', ['exe_2']], RAN)).toBeUndefined()
    expect(refreshEvery(['hosted', null, 'triggers'], RAN)).toBe(2_000)
    expect(refreshEvery(['hosted', null, 'firings', 'order', 'trg_1'], RAN)).toBe(1_000)
    expect(refreshEvery(['hosted', null, 'firings', 'other', 'trg_1'], RAN)).toBeUndefined()
  })

  it('of another project only when Executions of that one run', () => {
    const ranElsewhere = { ...RAN, executions: [{ ...RAN.executions[0]!, projectId: 'prj_2' }] }
    for (const key of [['counts', {}], ['waiting'], ['volume', 'order', null], ['runs-again', null, ['exe_2']]]) {
      expect(refreshEvery(['local', 'prj_1', ...key], ranElsewhere)).toBeUndefined()
      expect(refreshEvery(['local', 'prj_2', ...key], ranElsewhere)).toBeGreaterThan(0)
    }
  })

  it('less often under constant change, if that draws a whole screen again', () => {
    for (const noun of ['execution', 'history']) {
      expect(paceOf(['local', 'any', noun, 'exe_1'], RAN)).toEqual({ everyMs: 150, seldomMs: 1_000 })
    }
  })

  it('for Programs and sources only when they change', () => {
    for (const noun of ['programs', 'program', 'versions', 'source', 'projects', 'artifact']) {
      expect(refreshEvery(['local', null, noun, 'order'], RAN)).toBeUndefined()
    }
    expect(refreshEvery(['local', null, 'programs'], { ...NOTHING, programs: true })).toBe(250)
    expect(refreshEvery(['local', null, 'source'], { ...NOTHING, source: true })).toBe(250)
    expect(refreshEvery(['local', null, 'counts', {}], { ...NOTHING, source: true })).toBeUndefined()
    expect(refreshEvery(['local', null, 'runtime'], { ...NOTHING, runtime: true })).toBe(0)
  })

  it('but never for entries, which do not change', () => {
    expect(refreshEvery(['local', 'any', 'history', 'exe_1', 7], RAN)).toBeUndefined()
  })
})
