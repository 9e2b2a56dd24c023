import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { TenantStore, UsageReads } from '../store/tenancy.ts'
import { dayOf } from './days.ts'
import { getUsage } from './get-usage.ts'
import type { UsageRow } from './summarize-usage.ts'

const NOW = Date.parse('2026-11-30T12:00:00Z')
const [FIRST, LAST] = [dayOf(Date.parse('2026-11-01T00:00:00Z')), dayOf(NOW)]

const askWith = (usage: UsageReads, from: string) =>
  getUsage({ tenant: { usage } as TenantStore, now: () => NOW }, { from, groupBy: ['day', 'program'] })

it('refuses the days of a year of many Programs, and reads none of them', async () => {
  const usage = { programs: () => Promise.resolve(600), rows: () => expect.fail('the days are read') }
  await expect(askWith(usage, '2025-12-01')).rejects.toThrow('more than 200000 items')
})

it('does other work while it writes a large answer', async () => {
  const rows = Array.from({ length: 1_000 }, (_, index) => index).flatMap((program) =>
    Array.from({ length: LAST - FIRST + 1 }, (_, index): UsageRow => ({
      day: FIRST + index,
      programId: `p${program}`,
      ...{ executions: 1, turns: 1, effectAttempts: 1, events: 1, computeMs: 1, storedBytes: 1 },
    })),
  )
  let text: string | undefined
  const asked = askWith({ programs: async () => 1_000, rows: async () => rows }, '2026-11-01')
  const answered = asked.then((answer) => void (text = answer))
  let turns = 0
  for (; text === undefined; turns += 1) await setImmediate()
  await answered
  expect(JSON.parse(text)).toMatchObject({ from: '2026-11-01', to: '2026-11-30', total: { executions: rows.length } })
  expect(JSON.parse(text).items).toHaveLength(rows.length)
  expect(turns).toBeGreaterThan(3)
})
