import { describe, expect, it } from 'vitest'
import type { Failure } from '#runtime/shared/failure.ts'
import { createFailureLines } from './failure-lines.ts'

const stack = 'TypeError: no total\n    at node:internal/timers:1:2\n    at pay (programs/order.ts:6:32)'
const failed: Failure = {
  executionId: 'exe_1',
  programId: 'order',
  versionNumber: 3,
  error: { code: 'program_error', name: 'TypeError', message: 'no total', stack },
}
const declined: Failure = {
  ...failed,
  effect: { name: 'charge', isRetried: true },
  error: { code: 'effect_failed', message: 'declined\n\u001b[2J by the bank' },
}

describe('the lines of failures', () => {
  it('name the version or the effect, the error, where it was thrown and the Execution', () => {
    const lineOf = createFailureLines(false)
    expect([failed, declined].map(lineOf)).toEqual([
      'failed order version 3: TypeError: no total, at pay (programs/order.ts:6:32), exe_1\n',
      'failed effect charge of order version 3: effect_failed: declined \\x1b[2J by the bank, exe_1, will be retried\n',
    ])
    expect(createFailureLines(true)(declined)).toContain('\u001b[33mfailed\u001b[0m effect charge of order version 3: ')
  })

  it('name the causes that say something else', () => {
    const cause = { message: 'connect failed', cause: { message: 'connect ECONNREFUSED 127.0.0.1:80' } }
    const error = { code: 'program_error', name: 'EffectError', message: 'connect failed', cause }
    expect(createFailureLines(false)({ ...failed, error })).toBe(
      'failed order version 3: EffectError: connect failed: connect ECONNREFUSED 127.0.0.1:80, exe_1\n',
    )
  })

  it('are short, however long a name, a message and a frame are, and show where they are cut', () => {
    const long = 'x'.repeat(100_000)
    const error = { code: 'program_error', name: long, message: long, stack: `Error\n    at ${long}` }
    const line = createFailureLines(false)({ ...failed, error })
    expect(line.length).toBeLessThan(1_200)
    expect(line).toMatch(/^failed order version 3: x+…, at x+…, exe_1\n$/)
  })

  it('count what fails again, and begin anew with each version and effect', () => {
    const lineOf = createFailureLines(false)
    const told = Array.from({ length: 1_500 }, () => lineOf(failed)).filter((line) => line !== '')
    const error = 'TypeError: no total, at pay (programs/order.ts:6:32), exe_1\n'
    expect(told).toEqual([
      `failed order version 3: ${error}`,
      `failed order version 3 for the 10th time: ${error}`,
      `failed order version 3 for the 100th time: ${error}`,
      `failed order version 3 for the 1000th time: ${error}`,
    ])
    const other = { ...failed, error: { code: 'program_timeout', message: '' } }
    expect([other, other].map(lineOf)).toEqual(['failed order version 3: program_timeout, exe_1\n', ''])
    expect(lineOf({ ...failed, versionNumber: 4 })).toBe(`failed order version 4: ${error}`)
    expect(lineOf({ ...declined, effect: { name: 'refund', isRetried: false } })).toMatch(/^failed effect refund of /)
  })

  it('are few, although each message contains other random text', () => {
    const lineOf = createFailureLines(false)
    const word = (at: number) => at.toString(2).replaceAll('0', 'o').replaceAll('1', 'l')
    const random = Array.from({ length: 100 }, (_, at) => ({
      ...failed,
      error: { ...failed.error, message: word(at) },
    }))
    expect(random.map(lineOf).filter((line) => line !== '')).toHaveLength(11)
  })
})
