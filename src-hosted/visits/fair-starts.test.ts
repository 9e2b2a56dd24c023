// A busy workspace may not make a quiet one wait behind all of its starts, at any of the steps that a start takes.

import { expect, it } from 'vitest'
import { visitsRig } from './visits-rig.test-support.ts'

const CALLERS = 64
const ROUNDS = 40
/** Of the busy workspace; all of its callers would be 64. */
const MOST_MEANWHILE = 12

const rig = visitsRig()

it('stores a start of a quiet workspace after few of those that a busy one has under way', async () => {
  const worker = await rig.startWorker()
  const [busy, quiet] = [await rig.newProject({ runsAhead: worker }), await rig.newProject({ runsAhead: worker })]
  const code = '({ run: async () => 1 })'
  for (const project of [busy, quiet]) await project.start(code, undefined, 'noop')
  let started = 0
  let isOver = false
  const caller = async (): Promise<void> => {
    while (!isOver) {
      await busy.start(code, undefined, 'noop')
      started += 1
    }
  }
  const callers = Promise.all(Array.from({ length: CALLERS }, caller))
  const meanwhile: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = started
    await quiet.start(code, undefined, 'noop')
    meanwhile.push(started - before)
  }
  isOver = true
  await callers
  const [median] = meanwhile.toSorted((a, b) => a - b).slice(ROUNDS / 2)
  expect(started).toBeGreaterThan(CALLERS)
  expect(median).toBeLessThanOrEqual(MOST_MEANWHILE)
})

it('runs a quiet Program after few turns of a busy one of the same workspace', async () => {
  const worker = await rig.startWorker({ hasVisits: true })
  const project = await rig.newProject({ runsAhead: worker })
  const busy = () => project.start('({ run: async () => { for (let i = 0; i < 1e6; i++); return 1 } })', {}, 'busy')
  const quiet = () => project.start('({ run: async () => 1 })', {}, 'quiet')
  for (const { key } of [await busy(), await quiet()]) await project.end(key)
  const many = await Promise.all(Array.from({ length: 128 }, busy))
  const ended = async () => {
    const outcomes = await Promise.all(many.map(({ key }) => project.outcome(key)))
    return outcomes.filter(({ status }) => status === 'completed').length
  }
  const before = await ended()
  await project.end((await quiet()).key)
  // Otherwise, it waits for all that had no place among the visits yet: 96.
  expect((await ended()) - before).toBeLessThan(48)
  for (const { key } of many) await project.end(key)
})
