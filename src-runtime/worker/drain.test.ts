import { afterEach, expect, it, vi } from 'vitest'
import type { EffectOutcome, EffectPerformer } from '../effects/effect-performer.ts'
import type { Delivery, TurnOutput } from '../engine/turn.ts'
import { createRig, T0, type Rig } from './worker-rig.test-support.ts'

let rig: Rig
afterEach(() => rig.close())

const GRACE_MS = 5_000

/** Two effects, one after the other. */
const twoEffects = () => {
  let turn = 0
  return (_: Delivery): TurnOutput => {
    turn += 1
    return turn === 3
      ? { operations: [], outcome: { kind: 'completed', data: '{}' } }
      : {
          operations: [{ kind: 'effect', command: turn, name: 'charge', options: {}, data: '{}' }],
          outcome: { kind: 'suspended' },
        }
  }
}

const pending = () => {
  const answers: ((outcome: EffectOutcome) => void)[] = []
  const signals: AbortSignal[] = []
  const effects: EffectPerformer = {
    defaultsOf: () => ({}),
    perform: ({ signal, onBegin }) => {
      onBegin?.()
      signals.push(signal)
      return new Promise((resolve) => answers.push(resolve))
    },
  }
  return { answers, signals, effects }
}

it('waits for a running effect, stores its outcome, and starts nothing more', async () => {
  const { answers, signals, effects } = pending()
  rig = await createRig(twoEffects, { effects })
  const key = await rig.start()
  await vi.waitFor(() => expect(answers).toHaveLength(1))
  const waiting: number[] = []
  const drained = rig.worker().drain(GRACE_MS, (count) => waiting.push(count))
  const late = await rig.start()
  rig.clock.advance(GRACE_MS - 1)
  answers[0]!({ kind: 'completed', data: '{"result":1}' })
  await drained
  await rig.worker().stop()
  expect(waiting).toEqual([1])
  expect(rig.types(key)).toEqual(['execution_started', 'effect_scheduled', 'effect_completed', 'effect_scheduled'])
  expect(rig.head(late).status).toBe('queued')
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])

  rig.restart()
  await vi.waitFor(() => expect(answers).toHaveLength(3))
  for (const answer of answers.slice(1)) answer({ kind: 'completed', data: '{}' })
  await rig.until(key, 'completed')
  expect(
    rig
      .journal(key)
      .filter(({ attempt }) => attempt !== undefined)
      .map(({ attempt }) => attempt),
  ).toEqual([1, 1])
})

it('also stores the failure of an attempt', async () => {
  const { answers, effects } = pending()
  rig = await createRig(twoEffects, { effects })
  const key = await rig.start()
  await vi.waitFor(() => expect(answers).toHaveLength(1))
  const drained = rig.worker().drain(GRACE_MS)
  answers[0]!({ kind: 'failed', retryable: true, error: { code: 'effect_failed', message: 'declined' } })
  await drained
  await rig.worker().stop()
  expect(rig.record(key).waitingFor).toMatchObject([{ kind: 'effect', attempt: 2 }])
})

it('does not wait for an effect that a cancel has aborted', async () => {
  const { signals, effects } = pending()
  const cleansUp = (delivery: Delivery): TurnOutput => ({
    operations:
      delivery.kind === 'start'
        ? [{ kind: 'effect', command: 1, name: 'charge', options: {}, data: '{}' }]
        : [{ kind: 'wait', command: 2, name: 'undone', data: '{}' }],
    outcome: { kind: 'suspended' },
  })
  rig = await createRig(() => cleansUp, { effects })
  const key = await rig.start()
  await vi.waitFor(() => expect(signals).toHaveLength(1))
  await rig.worker().cancel(key)
  await vi.waitFor(() => expect(signals[0]!.aborted).toBe(true))
  await rig.worker().drain(GRACE_MS)
  expect(rig.head(key).status).toBe('cancelling')
})

it('continues without an effect that exceeds the grace period', async () => {
  const { answers, signals, effects } = pending()
  rig = await createRig(twoEffects, { effects })
  const key = await rig.start()
  await vi.waitFor(() => expect(answers).toHaveLength(1))
  const drained = rig.worker().drain(GRACE_MS)
  rig.clock.advance(GRACE_MS)
  await drained
  await rig.worker().stop()
  expect(signals[0]!.aborted).toBe(true)
  expect(rig.record(key).waitingFor).toMatchObject([{ kind: 'effect', attempt: 1 }])
})

it('does not wait for an effect that only waits for its turn, and begins it in the next runtime', async () => {
  const signals: AbortSignal[] = []
  const { answers, effects: running } = pending()
  const effects: EffectPerformer = {
    ...running,
    perform: (call) => {
      if (signals.push(call.signal) > 1) return running.perform(call)
      call.onBegin?.()
      call.onWait?.()
      return new Promise(() => undefined)
    },
  }
  rig = await createRig(twoEffects, { effects })
  const key = await rig.start()
  await vi.waitFor(() => expect(signals).toHaveLength(1))
  await rig.worker().drain(GRACE_MS, () => expect.unreachable())
  expect(rig.clock.now()).toBe(T0)
  expect(signals[0]!.aborted).toBe(true)
  await rig.worker().stop()
  expect(rig.types(key)).toEqual(['execution_started', 'effect_scheduled'])

  rig.restart()
  await vi.waitFor(() => expect(answers).toHaveLength(1))
  answers[0]!({ kind: 'completed', data: '{}' })
  await vi.waitFor(() => expect(answers).toHaveLength(2))
  answers[1]!({ kind: 'completed', data: '{}' })
  await rig.until(key, 'completed')
})

it('is done at once if no effect is running', async () => {
  rig = await createRig(() => () => ({ operations: [], outcome: { kind: 'suspended' } }))
  await rig.startUntil('waiting')
  await rig.worker().drain(GRACE_MS, () => expect.unreachable())
  expect(rig.clock.now()).toBe(T0)
})
