import { expect, test } from 'vitest'
import type { Delivery } from '../engine/turn.ts'
import { createJob } from './program-runner.ts'
import { commandsOf, createRig, resultOf, START_AT } from './runner-rig.test-support.ts'
import { turnMessage } from './task.ts'
import { readTurn } from './turn-text.ts'

/** Each event makes the Program call an effect with an input of 500 characters. */
const ASKS_FOR_MUCH = `let done = 0
  const one = async () => { await ctx.waitForEvent('w'); done++; ctx.effect('e', 'x'.repeat(500)).catch(() => {}) }
  await Promise.all(Array.from({ length: 6 }, one))
  return done`
const event = (command: number): { readonly delivery: Delivery } => ({
  delivery: { kind: 'event', at: START_AT, command, name: 'w', source: 1, eventId: 'evt_1', data: '{"id":"evt_1"}' },
})
const sixEvents = [1, 2, 3, 4, 5, 6].map(event)

test('live turns whose output is large end the job, and the others run from the same image', () => {
  const execution = createRig({ outputChars: 1200 }).program(ASKS_FOR_MUCH)
  execution.start()
  const commands: number[] = []
  for (const [turnsDone, count] of [
    [1, 3],
    [4, 3],
  ] as const) {
    const [, kind, texts] = execution.activate(turnsDone, sixEvents.slice(turnsDone - 1))
    if (kind !== 'ran') throw new Error(kind)
    expect(texts).toHaveLength(count)
    const outputs = texts.map(readTurn)
    commands.push(...outputs.flatMap(commandsOf).map(({ command }) => command))
    if (turnsDone === 4) expect(resultOf(outputs.at(-1)!)).toBe(6)
  }
  expect(commands).toEqual([7, 8, 9, 10, 11, 12])
})

test('the output of one turn may be larger', () => {
  const execution = createRig({ outputChars: 100 }).program(ASKS_FOR_MUCH)
  execution.start()
  expect(execution.activate(1, sixEvents)[2]).toHaveLength(1)
})

test('replayed turns do not count', () => {
  const execution = createRig({ outputChars: 1200 }).program(ASKS_FOR_MUCH)
  execution.start()
  for (const command of [1, 2, 3, 4, 5]) execution.event(command)
  const history = execution.turns.map(({ delivery, output }) => ({ delivery, expected: commandsOf(output) }))
  const [, kind, texts] = execution.activate(0, [...history, event(6)])
  expect([kind, texts]).toEqual(['ran', [expect.stringContaining('c{"result":6}')]])
})

test('the output counts over all slices of a job', () => {
  const { runner, ...rig } = createRig({ outputChars: 1200 })
  const execution = rig.program(ASKS_FOR_MUCH)
  execution.start()
  const messages = sixEvents.map(turnMessage)
  const job = createJob([9, execution.id, 'program', 1, 'ver_1', 1, messages, false, ''])
  let slices = 1
  let result = runner.run(job, () => false)
  for (; result === undefined; slices++) result = runner.run(job, () => false)
  expect(slices).toBe(3)
  expect(result[2]).toHaveLength(3)
})
