import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { USAGE_ITEMS_LIMIT, type Grouping } from '../../src-runtime/contract/usage-models.ts'
import { dayOf, dayText, monthOf, startOf } from './days.ts'
import { summarizeUsage, type UsageRow } from './summarize-usage.ts'

const MONDAY = dayOf(Date.parse('2026-11-16T00:00:00Z'))
const [TUESDAY, WEDNESDAY, THURSDAY] = [MONDAY + 1, MONDAY + 2, MONDAY + 3]

const row = (day: number, rest: Partial<UsageRow> = {}): UsageRow => ({
  day,
  executions: 0,
  turns: 0,
  effectAttempts: 0,
  events: 0,
  computeMs: 0,
  storedBytes: 0,
  ...rest,
})

const ask = (groupBy: readonly Grouping[], rows: readonly UsageRow[], from = MONDAY, to = THURSDAY) => {
  const { items, total } = summarizeUsage({ from, to, today: WEDNESDAY, groupBy }, rows)
  return { items: [...items], total }
}

describe('a summary of usage', () => {
  const rows = [
    row(MONDAY - 30, { executions: 7, storedBytes: 1_000 }),
    row(MONDAY, { executions: 2, turns: 5, computeMs: 30, storedBytes: 600 }),
    row(MONDAY, { executions: 1, events: 1 }),
    row(WEDNESDAY, { executions: 4, effectAttempts: 9, storedBytes: -100 }),
  ]

  it('adds up what was counted, with the mean of what was stored at the ends of the days that have begun', () => {
    const total = { executions: 7, turns: 5, effectAttempts: 9, events: 1, computeMs: 30, storedBytes: 1_567 }
    expect(ask([], rows)).toEqual({ items: [total], total })
  })

  it('shows for each day what was stored at its end, also where nothing else happened', () => {
    expect(ask(['day'], rows).items).toEqual([
      { day: '2026-11-16', executions: 3, turns: 5, effectAttempts: 0, events: 1, computeMs: 30, storedBytes: 1_600 },
      { day: '2026-11-17', executions: 0, turns: 0, effectAttempts: 0, events: 0, computeMs: 0, storedBytes: 1_600 },
      { day: '2026-11-18', executions: 4, turns: 0, effectAttempts: 9, events: 0, computeMs: 0, storedBytes: 1_500 },
    ])
  })

  it('keeps projects and Programs apart, in order', () => {
    const of = (projectId: string, programId: string, executions: number) =>
      row(TUESDAY, { projectId, programId, executions })
    const { items, total } = ask(['project', 'program'], [of('b', 'x', 1), of('a', 'y', 2), of('a', 'x', 3)])
    expect(items.map(({ projectId, programId, executions }) => [projectId, programId, executions])).toEqual([
      ['a', 'x', 3],
      ['a', 'y', 2],
      ['b', 'x', 1],
    ])
    expect(items.every((item) => !('day' in item))).toBe(true)
    expect(total).not.toHaveProperty('projectId')
    expect(total.executions).toBe(6)
  })

  it('is zero where nothing was used', () => {
    const none = { executions: 0, turns: 0, effectAttempts: 0, events: 0, computeMs: 0, storedBytes: 0 }
    expect(ask([], [])).toEqual({ items: [none], total: none })
    expect(ask(['day', 'program'], [])).toEqual({ items: [], total: none })
    expect(ask(['day'], [], THURSDAY, THURSDAY)).toEqual({ items: [], total: none })
  })

  it('refuses more rows than are read, whose sums would be wrong', () => {
    const many = Array.from({ length: 2 * USAGE_ITEMS_LIMIT + 1 }, () => row(MONDAY, { programId: 'a' }))
    expect(() => ask(['day', 'program'], many)).toThrow('more than 200000 items')
  })

  it('refuses more items than are answered', () => {
    const rowsOf = (count: number) =>
      Array.from({ length: count }, (_, n) => row(MONDAY, { programId: `${n}`, executions: 1 }))
    const most = Math.floor(USAGE_ITEMS_LIMIT / 3)
    expect(() => ask(['day', 'program'], rowsOf(most + 1))).toThrow('more than 200000 items')
    expect(ask(['program'], rowsOf(most + 1)).items).toHaveLength(most + 1)
  })

  it('counts the same in the items as in the total, however it is grouped', () => {
    const rowOf = fc.record({
      day: fc.integer({ min: MONDAY - 3, max: WEDNESDAY }),
      projectId: fc.constantFrom('a', 'b'),
      programId: fc.constantFrom('x', 'y'),
      executions: fc.nat(9),
      turns: fc.nat(9),
      effectAttempts: fc.nat(9),
      events: fc.nat(9),
      computeMs: fc.nat(9),
      storedBytes: fc.nat(1_000),
    })
    fc.assert(
      fc.property(fc.array(rowOf), fc.subarray(['day', 'project', 'program'] as const), (all, groupBy) => {
        const asked = all.map(({ projectId, programId, ...rest }) => ({
          ...rest,
          ...(groupBy.includes('project') && { projectId }),
          ...(groupBy.includes('program') && { programId }),
        }))
        const { items, total } = ask(groupBy, asked)
        const within = all.filter(({ day }) => day >= MONDAY)
        for (const name of ['executions', 'turns', 'effectAttempts', 'events', 'computeMs'] as const) {
          const counted = within.reduce((sum, one) => sum + one[name], 0)
          expect([items.reduce((sum, item) => sum + item[name], 0), total[name]]).toEqual([counted, counted])
        }
      }),
    )
  })
})

describe('days', () => {
  it('are UTC', () => {
    expect(dayText(dayOf(Date.parse('2026-11-22T23:59:59.999Z')))).toBe('2026-11-22')
    expect(new Date(startOf(dayOf(Date.parse('2026-11-23T00:00:00Z')))).toISOString()).toBe('2026-11-23T00:00:00.000Z')
  })

  it('know their month and those beside it', () => {
    const day = dayOf(Date.parse('2027-01-31T12:00:00Z'))
    expect([dayText(monthOf(day)), dayText(monthOf(day, 1)), dayText(monthOf(day, -1))]).toEqual([
      '2027-01-01',
      '2027-02-01',
      '2026-12-01',
    ])
  })
})
