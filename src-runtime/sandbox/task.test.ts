import { expect, test } from 'vitest'
import { OUTPUT_CHARS } from './limits.ts'
import type { Activation } from './program-hosts.ts'
import { createTask, partMessage, readResult } from './task.ts'

test('a long replay that loses its image between two parts ends, so that it begins again in one place only', () => {
  const delivery = { kind: 'timer', at: 0, command: 1 } as const
  const turns = Array.from({ length: 3000 }, () => ({ delivery, expected: [] }))
  const ids = { executionId: 'exe_1', programId: 'program', versionNumber: 1, versionId: 'version' }
  const task = createTask({ ...ids, turnsDone: 0, turns }, unexpected, unexpected, unexpected)
  const rules = { separatesReplay: false, isAnnounced: false }
  partMessage(task, 1, rules)
  expect(readResult(task, [1, 'ran', [], 0])).toEqual({ kind: 'again' })
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

const live = { delivery: { kind: 'timer', at: 0, command: 1 } } as const
const taskOf = (turns: Activation['turns']) => {
  const ids = { executionId: 'exe_1', programId: 'program', versionNumber: 1, versionId: 'version' }
  return createTask({ ...ids, turnsDone: 1, turns }, unexpected, unexpected, unexpected)
}
const RULES = { separatesReplay: false, isAnnounced: false }
/** The text of a turn with so many characters of output. */
const log = (chars: number): string => `l${'x'.repeat(chars)}\n`

test('an activation ends when its host ran fewer turns than it was given', () => {
  const task = taskOf([{ ...live, expected: [] }, live, live, live])
  partMessage(task, 1, RULES)
  const step = readResult(task, [1, 'ran', ['', ''], 3])
  expect(step).toMatchObject({ kind: 'finished', result: { kind: 'ran', turns: [{}, {}], computeMs: 3 } })
})

test('an activation ends after the part with which the output of its turns is large', () => {
  const turns = Array.from({ length: 6000 }, () => live)
  const texts = (more: string) => [more, ...Array.from({ length: 1999 }, () => '')]
  const task = taskOf(turns)
  partMessage(task, 1, RULES)
  expect(readResult(task, [1, 'ran', texts(log(OUTPUT_CHARS / 2)), 2])).toEqual({ kind: 'again' })
  partMessage(task, 2, RULES)
  const step = readResult(task, [2, 'ran', texts(log(OUTPUT_CHARS / 2)), 3])
  const result = step.kind === 'finished' && step.result.kind === 'ran' ? step.result : undefined
  expect([result?.turns.length, result?.computeMs]).toEqual([4000, 5])
})

test('a host that runs none of the turns it was given is at fault', () => {
  const task = taskOf([live, live])
  partMessage(task, 1, RULES)
  expect(() => readResult(task, [1, 'ran', [], 0])).toThrow('without a turn')
})

const unexpected = () => {
  throw new Error('Not expected')
}
