// Retries that are due within milliseconds: the next attempt may be due before the failure of the last one is stored.

import { expect, it, vi } from 'vitest'
import { systemClock } from '../shared/clock.ts'
import type { EffectOutcome, EffectPerformer } from '../effects/effect-performer.ts'
import type { Delivery, TurnOutput } from '../engine/turn.ts'
import { createRig } from './worker-rig.test-support.ts'

const FAILED: EffectOutcome = {
  kind: 'failed',
  retryable: true,
  error: { code: 'effect_failed', message: 'declined' },
}
const COMPLETED: EffectOutcome = { kind: 'completed', data: '{"result":1}' }

const callsEffect = (delivery: Delivery): TurnOutput =>
  delivery.kind === 'start'
    ? {
        operations: [{ kind: 'effect', command: 1, name: 'charge', options: {}, data: '{}' }],
        outcome: { kind: 'suspended' },
      }
    : { operations: [], outcome: { kind: 'completed', data: '{}' } }

/** Fails the first attempts of each effect. Calls `onAttempt` for each. */
const failing = (
  initialIntervalMs: number,
  failures: number,
  onAttempt: (attempt: number) => void,
): EffectPerformer => ({
  defaultsOf: () => ({ retry: { initialIntervalMs, backoffCoefficient: 1 } }),
  perform: ({ attempt }) => {
    onAttempt(attempt)
    return Promise.resolve(attempt <= failures ? FAILED : COMPLETED)
  },
})

it('starts the next attempt if it is due before the failure of the last one is stored', async () => {
  const attempts: number[] = []
  const rig = await createRig(() => callsEffect, {
    effects: failing(2, 1, (attempt) => {
      attempts.push(attempt)
      setImmediate(() => rig.clock.advance(10)) // before the store's own turn of the event loop
    }),
  })
  const key = await rig.startUntil('completed')
  expect(attempts).toEqual([1, 2])
  expect(rig.types(key)).toContain('effect_attempt_failed')
  await rig.close()
})

it.each(['while it is in memory', 'after a restart'])(
  'waits no longer than the policy says when the clock was set back, %s',
  async (when) => {
    const attempts: number[] = []
    const rig = await createRig(() => callsEffect, { effects: failing(30_000, 1, (attempt) => attempts.push(attempt)) })
    const key = await rig.start()
    await vi.waitFor(() => expect(rig.types(key)).toContain('effect_attempt_failed'))
    if (when === 'after a restart') rig.restart()
    const before = rig.clock.now()
    rig.clock.advance(1_000)
    expect(attempts).toEqual([1])
    rig.clock.jump(before - 86_400_000)
    rig.clock.advance(1_000)
    await rig.until(key, 'completed')
    expect(attempts).toEqual([1, 2])
    await rig.close()
  },
)

it('waits no longer than the policy says when the clock was set back while the runtime was stopped', async () => {
  const attempts: number[] = []
  const rig = await createRig(() => callsEffect, { effects: failing(30_000, 1, (attempt) => attempts.push(attempt)) })
  const key = await rig.start()
  await vi.waitFor(() => expect(rig.types(key)).toContain('effect_attempt_failed'))
  rig.clock.jump(rig.clock.now() - 86_400_000)
  rig.restart()
  await rig.until(key, 'completed')
  expect(attempts).toEqual([1, 2])
  await rig.close()
})

it('waits as long as the policy says when the clock was set back by less than a second', async () => {
  const attempts: number[] = []
  const rig = await createRig(() => callsEffect, { effects: failing(30_000, 1, (attempt) => attempts.push(attempt)) })
  const key = await rig.start()
  await vi.waitFor(() => expect(rig.types(key)).toContain('effect_attempt_failed'))
  rig.clock.jump(rig.clock.now() - 900)
  rig.clock.advance(29_000)
  await new Promise(setImmediate)
  expect(attempts).toEqual([1])
  await rig.close()
})

it.each([
  ['completed', 0],
  ['failed', 1],
])('performs an attempt that has %s once, however often its outcome cannot be stored', async (_, failures) => {
  const attempts: number[] = []
  const rig = await createRig(() => callsEffect, {
    effects: failing(1, failures, (attempt) => {
      attempts.push(attempt)
      rig.trouble.failsCommit = () => true
    }),
  })
  const key = await rig.start()
  const refusals = () => rig.logged.filter((line) => line.includes('could not be stored')).length
  await vi.waitFor(() => {
    rig.clock.advance(1_000)
    expect(refusals()).toBeGreaterThan(3)
  })
  expect(attempts).toEqual([1])
  rig.trouble.failsCommit = () => false
  await vi.waitFor(() => {
    rig.clock.advance(1_000)
    if (failures > 0) rig.trouble.failsCommit = () => false
    expect(rig.head(key).status).toBe('completed')
  })
  expect(attempts).toEqual(failures === 0 ? [1] : [1, 2])
  expect(rig.types(key).filter((type) => type.startsWith('effect_'))).toEqual([
    'effect_scheduled',
    ...(failures === 0 ? [] : ['effect_attempt_failed']),
    'effect_completed',
  ])
  await rig.close()
})

/**
 * Calls two effects, `short` and `long`. From the end of `short` on, nothing can be stored: the Execution is not in memory until the
 * clock advances. `begins`: whether `long` does, or waits.
 */
const beginningAgain = async (begins = true) => {
  const performed: string[] = []
  const aborted: string[] = []
  const long = Promise.withResolvers<EffectOutcome>()
  const calls = (command: number, name: string) => ({ kind: 'effect', command, name, options: {}, data: '{}' }) as const
  let results = 0
  const rig = await createRig(
    () => (delivery) => {
      if (delivery.kind === 'start') {
        results = 0
        return { operations: [calls(1, 'short'), calls(2, 'long')], outcome: { kind: 'suspended' } }
      }
      results += 1
      return { operations: [], outcome: results < 2 ? { kind: 'suspended' } : { kind: 'completed', data: '{}' } }
    },
    {
      effects: {
        defaultsOf: () => ({}),
        perform: ({ name, signal, onBegin }) => {
          performed.push(name)
          signal.addEventListener('abort', () => aborted.push(name))
          if (name === 'short' || begins) onBegin?.()
          if (name === 'long') return long.promise
          rig.trouble.failsCommit = () => true
          return Promise.resolve(COMPLETED)
        },
      },
    },
  )
  const key = await rig.start()
  const refusals = () => rig.logged.filter((line) => line.includes('could not be stored')).length
  for (let times = 1; times <= 4; times += 1) {
    if (times > 1) rig.clock.advance(1_000)
    await vi.waitFor(() => expect(refusals()).toBeGreaterThanOrEqual(times))
  }
  return { rig, key, long, performed, aborted }
}

it('goes on with an attempt while another outcome of its Execution cannot be stored', async () => {
  const { rig, key, long, performed, aborted } = await beginningAgain()
  rig.trouble.failsCommit = () => false
  await vi.waitFor(() => {
    rig.clock.advance(1_000)
    expect(rig.types(key)).toContain('effect_completed')
  })
  long.resolve(COMPLETED)
  await rig.until(key, 'completed')
  expect([performed, aborted]).toEqual([['short', 'long'], []])
  await rig.close()
})

it.each([
  ['calls off an attempt that waits', false, ['long']],
  ['leaves alone an attempt that runs', true, []],
])('%s while its Execution begins again, when the runtime stops', async (_, begins, expected) => {
  const { rig, aborted } = await beginningAgain(begins)
  await rig.worker().drain(0)
  expect(aborted).toEqual(expected)
  await rig.close()
})

it('aborts the attempts of an Execution that begins again, and fails because its journal is damaged', async () => {
  const { rig, key, aborted } = await beginningAgain()
  rig.trouble.failsCommit = () => false
  rig.db.prepare(`UPDATE pending SET options = 'none' WHERE execution = ?`).run(key)
  await vi.waitFor(() => {
    rig.clock.advance(1_000)
    expect(rig.head(key).status).toBe('failed')
  })
  expect(aborted).toContain('long')
  await rig.close()
})

it('works with a retry policy that was stored before such policies were refused, also after a restart', async () => {
  let attempts = 0
  const rig = await createRig(() => callsEffect, {
    effects: {
      defaultsOf: () => ({ retry: { initialIntervalMs: 0, backoffCoefficient: 1e200, maxIntervalMs: 8.64e15 } }),
      perform: () => {
        attempts += 1
        return Promise.resolve(attempts < 4 ? FAILED : COMPLETED)
      },
    },
  })
  const key = await rig.start()
  rig.restart()
  await vi.waitFor(() => {
    rig.clock.advance(1)
    expect(rig.head(key).status).toBe('completed')
  })
  await rig.close()
})

it.each([
  [1, 1],
  [2, 50],
  [20, 200],
])('ends every Execution that nobody touches, with retries %i ms apart, %i at a time', async (intervalMs, callers) => {
  const rig = await createRig(() => callsEffect, {
    effects: failing(intervalMs, 3, () => undefined),
    clock: systemClock,
  })
  const keys: number[] = []
  while (keys.length < 400) keys.push(...(await Promise.all(Array.from({ length: callers }, () => rig.start()))))
  await vi.waitFor(() => expect(keys.filter((key) => rig.head(key).status !== 'completed')).toEqual([]))
  await rig.close()
})
