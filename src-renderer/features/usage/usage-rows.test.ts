import { describe, expect, it } from 'vitest'
import type { UsageItem } from '#sdk/index.ts'
import { barsOf, csvName, sortedRows, usageCsv } from './usage-rows.ts'

const used = (rest: Partial<UsageItem>): UsageItem => ({
  executions: 0,
  turns: 0,
  effectAttempts: 0,
  events: 0,
  computeMs: 0,
  storedBytes: 0,
  ...rest,
})

const nameOf = (id: string) => ({ prj_1: 'Shop', prj_2: '=Mail' })[id] ?? id

describe('rows of usage', () => {
  const items = [
    used({ day: '2026-11-19', projectId: 'prj_1', executions: 1 }),
    used({ day: '2026-11-20', projectId: 'prj_1', executions: 2, turns: 9 }),
    used({ day: '2026-11-20', projectId: 'prj_2', executions: 7, computeMs: 1_500, storedBytes: 2_048 }),
  ]
  const total = used({ executions: 10, turns: 9, computeMs: 1_500, storedBytes: 1_024 })

  it('have the newest day first, and within it what used most', () => {
    const shown = (metric: 'executions' | 'turns') =>
      sortedRows(items, metric).map(({ day, projectId }) => `${day} ${projectId}`)
    expect(shown('executions')).toEqual(['2026-11-20 prj_2', '2026-11-20 prj_1', '2026-11-19 prj_1'])
    expect(shown('turns')).toEqual(['2026-11-20 prj_1', '2026-11-20 prj_2', '2026-11-19 prj_1'])
  })

  it('are saved as shown, with the total', () => {
    expect(usageCsv({ total }, sortedRows(items, 'executions'), ['day', 'project'], nameOf).split('\r\n')).toEqual([
      'Day,Project,Project id,Executions,Turns,Effect attempts,Events,Compute time (ms),Stored data (bytes)',
      "2026-11-20,'=Mail,prj_2,7,0,0,0,1500,2048",
      '2026-11-20,Shop,prj_1,2,9,0,0,0,0',
      '2026-11-19,Shop,prj_1,1,0,0,0,0,0',
      'Total,,,10,9,0,0,1500,1024',
      '',
    ])
    expect(usageCsv({ total }, [], ['program'], nameOf)).toMatch(/^Program,Executions,[^\r]*\r\nTotal,10,/)
    expect(csvName({ from: '2026-11-01', to: '2026-11-20' }, ['day', 'project'])).toBe(
      'usage-2026-11-01-to-2026-11-20-by-day-project.csv',
    )
  })
})

describe('bars of usage', () => {
  const DAYS = ['2026-11-19', '2026-11-20']

  it('are one for each day, also where nothing was used', () => {
    expect(barsOf([used({ day: DAYS[1]!, turns: 3 })], DAYS, 'turns', nameOf)).toEqual([
      { label: 'Turns', rank: 0, values: [0, 3] },
    ])
    expect(barsOf([], DAYS, 'turns', nameOf)).toEqual([])
  })

  it('are split by project and Program, the largest first', () => {
    const of = (projectId: string, programId: string, executions: number) =>
      used({ day: DAYS[0]!, projectId, programId, executions })
    const items = [of('prj_1', 'order', 1), of('prj_2', 'order', 4), of('prj_1', 'mail', 2)]
    expect(barsOf(items, DAYS, 'executions', nameOf).map(({ label, values }) => [label, values[0]])).toEqual([
      ['=Mail / order', 4],
      ['Shop / mail', 2],
      ['Shop / order', 1],
    ])
  })

  it('show five, and all others together', () => {
    const items = Array.from({ length: 8 }, (_, index) =>
      used({ day: DAYS[index % 2]!, programId: `p${index}`, events: index + 1 }),
    )
    const bars = barsOf(items, DAYS, 'events', nameOf)
    expect(bars.map(({ label, rank }) => [label, rank])).toEqual([
      ['p7', 0],
      ['p6', 1],
      ['p5', 2],
      ['p4', 3],
      ['p3', 4],
      ['3 others', undefined],
    ])
    expect(bars.at(-1)?.values).toEqual([1 + 3, 2])
  })
})
