import { expect, it } from 'vitest'
import type { NewEntry } from '../engine/journal.ts'
import { createLogBatch } from './log-batch.ts'

it('keeps 1,000 lines, and says how many more there were', () => {
  const line = (at: number): NewEntry => ({ at, type: 'log', data: '{}' })
  const batch = createLogBatch(line(1))
  for (let at = 2; at <= 1_000; at += 1) batch.add(line(at))
  expect(batch.entries()).toHaveLength(1_000)
  for (let at = 1_001; at <= 1_007; at += 1) batch.add(line(at))
  expect(batch.entries()).toHaveLength(1_001)
  const data = JSON.stringify({ level: 'warn', message: '7 more log entries were dropped' })
  expect(batch.entries().at(-1)).toEqual({ at: 1_000, type: 'log', data })
})
