import { expect, test } from 'vitest'
import { createTask, partMessage, readResult } from './task.ts'

test('a long replay that loses its image between two parts ends, so that it begins again in one place only', () => {
  const delivery = { kind: 'timer', at: 0, command: 1 } as const
  const turns = Array.from({ length: 3000 }, () => ({ delivery, expected: [] }))
  const ids = { executionId: 'exe_1', programId: 'program', versionNumber: 1, versionId: 'version' }
  const task = createTask({ ...ids, turnsDone: 0, turns }, unexpected, unexpected, unexpected)
  const rules = { separatesReplay: false, isAnnounced: false }
  partMessage(task, 1, rules)
  expect(readResult(task, [1, 'ran', []])).toEqual({ kind: 'again' })
  const [, , , , , firstTurn] = partMessage(task, 2, rules)
  expect(firstTurn).toBe(2000)
  expect(readResult(task, [2, 'image_missing'])).toEqual({ kind: 'finished', result: { kind: 'image_missing' } })
})

test('a host is told whose Program it runs', () => {
  const ids = { executionId: 'exe_1', programId: 'program', versionNumber: 1, versionId: 'version' }
  const tenantOf = (more: { readonly tenant?: string }): string => {
    const task = createTask({ ...ids, ...more, turnsDone: 0, turns: [] }, unexpected, unexpected, unexpected)
    return partMessage(task, 1, { separatesReplay: false, isAnnounced: false })[8]
  }
  expect([tenantOf({}), tenantOf({ tenant: 'one' })]).toEqual(['', 'one'])
})

const unexpected = () => {
  throw new Error('Not expected')
}
