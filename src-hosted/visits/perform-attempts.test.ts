import { expect, it, onTestFinished, vi } from 'vitest'
import type { EffectPerformer } from '../../src-runtime/effects/effect-performer.ts'
import { cancelled } from '../../src-runtime/effects/failures.ts'
import { createManualClock } from '../../src-runtime/shared/manual-clock.test-support.ts'
import { createAloneGate } from '../../src-runtime/worker/alone-gate.ts'
import { createEffectSpeeds } from './effect-speeds.ts'
import { createAttemptPerformer } from './perform-attempts.ts'

const createRig = (perform: EffectPerformer['perform']) => {
  const performer = createAttemptPerformer({
    effects: { perform },
    speeds: createEffectSpeeds(),
    gate: createAloneGate(createManualClock(0)),
    logs: { write: () => undefined, written: () => Promise.resolve() },
    noteUnderWay: () => Promise.resolve(),
    now: () => 0,
  })
  const owner = { key: 1, id: 'exe_1', programId: 'order', versionId: 'ver_1' }
  const effect = { kind: 'effect', command: 1, name: 'pay', attempt: 1, since: 0, options: {} } as const
  return (signal: AbortSignal, deaths = 0) => performer.perform(owner, { ...effect, deaths }, '{}', signal)
}

const { signal } = new AbortController()

const performWith = (perform: EffectPerformer['perform']) => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  return createRig(perform)(signal)
}

it('an attempt costs the time in which it ran, and not its wait for a process that starts and loads', async () => {
  const ended = await performWith(async (call) => {
    vi.advanceTimersByTime(60_000)
    call.onBegin?.()
    vi.advanceTimersByTime(5_000)
    call.onRun?.()
    vi.advanceTimersByTime(50)
    return { kind: 'completed', data: '{}' }
  })
  expect(ended?.computeMs).toBe(50)
})

it('an attempt that does not run costs nothing', async () => {
  const ended = await performWith(async () => {
    vi.advanceTimersByTime(60_000)
    return { kind: 'completed', data: '{}' }
  })
  expect(ended?.computeMs).toBe(0)
})

it('an attempt that waits to run alone ends as soon as it is aborted', async () => {
  const perform = createRig((call) =>
    call.signal.aborted ? Promise.resolve(cancelled(call.name)) : new Promise(() => undefined),
  )
  void perform(signal)
  const controller = new AbortController()
  const ended = perform(controller.signal, 2)
  controller.abort()
  expect(await ended).toBeUndefined()
})
