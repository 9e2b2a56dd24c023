// Executions that keep large payloads in memory, and many Programs at once.

import { describe, expect, test } from 'vitest'
import { LARGEST_KEPT_SLOT_BYTES, RUNNER_LIMITS } from './limits.ts'
import { createRig } from './runner-rig.test-support.ts'

const MIB = 1024 * 1024
const PAYLOAD = 'x'.repeat(2 * MIB)
const KEEP = `const kept = []
  for (let turn = 1; turn <= input; turn++) kept.push(await ctx.waitForEvent('more'))
  return kept.map((text) => text.length)`

describe.each(['shared', 'alone'] as const)('in a host of the role %s', (role) => {
  test('a Program that keeps all its payloads stays in its slot until it is out of memory', () => {
    const { runner, program } = createRig(RUNNER_LIMITS[role])
    const execution = program(KEEP)
    let output = execution.start(1_000)
    let turns = 0
    while (output.outcome.kind === 'suspended') {
      output = execution.event(++turns, PAYLOAD)
      expect(runner.images.count).toBe(0)
    }
    expect(output.outcome).toMatchObject({ kind: 'failed', error: { code: 'program_out_of_memory' } })
    expect(turns * PAYLOAD.length).toBeGreaterThan(2 * LARGEST_KEPT_SLOT_BYTES)
  })
})

test('more large Executions than fit in memory run alternately, and lose nothing', () => {
  const { program } = createRig(RUNNER_LIMITS.shared)
  const rounds = 16
  const executions = Array.from({ length: 8 }, () => program(KEEP))
  for (const execution of executions) execution.start(rounds)
  for (const execution of executions) {
    for (let turn = 1; turn < rounds; turn++) execution.event(turn, PAYLOAD)
  }
  for (const execution of executions) {
    const { outcome } = execution.event(rounds, 'last')
    expect(outcome).toMatchObject({ kind: 'completed' })
  }
})

test.each([
  ['large Executions', () => KEEP],
  ['many Programs', (nth: number) => `const nth = ${nth} // ${'x'.repeat(MIB / 4)}\n${KEEP}`],
])('%s of one tenant cost another one no image', (_, bodyOf) => {
  const { program } = createRig({ slots: 2, imageBytes: MIB, templateBytes: 4 * MIB, programBytes: MIB })
  const quiet = program(KEEP, 'quiet')
  quiet.start(10)
  quiet.event(1, 'small')
  for (let nth = 1; nth <= 20; nth++) {
    const large = program(bodyOf(nth), 'large')
    large.start(10)
    large.event(1, 'x'.repeat(MIB / 2))
  }
  const event = { kind: 'event', at: quiet.at, command: 2, name: 'more', source: 2, eventId: 'evt_2' } as const
  expect(quiet.activate(2, [{ delivery: { ...event, data: '{"payload":"small"}' } }])[1]).toBe('ran')
})
