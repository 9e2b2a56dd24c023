// Executions that keep large payloads in memory.

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
