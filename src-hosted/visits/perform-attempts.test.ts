import { expect, it, onTestFinished, vi } from 'vitest'
import type { EffectPerformer } from '../../src-runtime/effects/effect-performer.ts'
import { systemClock } from '../../src-runtime/shared/clock.ts'
import { createAloneGate } from '../../src-runtime/worker/alone-gate.ts'
import { createEffectSpeeds } from './effect-speeds.ts'
import { createAttemptPerformer } from './perform-attempts.ts'

const performWith = (perform: EffectPerformer['perform']) => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const performer = createAttemptPerformer({
    effects: { perform },
    speeds: createEffectSpeeds(),
    gate: createAloneGate(systemClock),
    logs: { write: () => undefined, written: () => Promise.resolve() },
    noteUnderWay: () => Promise.resolve(),
    now: () => 0,
  })
  const owner = { key: 1, id: 'exe_1', programId: 'order', versionId: 'ver_1' }
  const effect = { kind: 'effect', command: 1, name: 'pay', attempt: 1, since: 0, options: {} } as const
  return performer.perform(owner, effect, '{}', new AbortController().signal)
}

it('an attempt costs the time since a process has it, and not its wait', async () => {
  const ended = await performWith(async (call) => {
    vi.advanceTimersByTime(60_000)
    call.onBegin?.()
    vi.advanceTimersByTime(50)
    return { kind: 'completed', data: '{}' }
  })
  expect(ended?.computeMs).toBe(50)
})

it('an attempt that no process gets costs nothing', async () => {
  const ended = await performWith(async () => {
    vi.advanceTimersByTime(60_000)
    return { kind: 'completed', data: '{}' }
  })
  expect(ended?.computeMs).toBe(0)
})
