import { afterEach, expect, it, vi } from 'vitest'
import type { EffectOutcome, EffectPerformer } from '../effects/effect-performer.ts'
import type { Command, Delivery, TurnOutput } from '../engine/turn.ts'
import { createRig, T0, type Rig } from './worker-rig.test-support.ts'

let rig: Rig
afterEach(() => rig.close())

const HOUR = 3_600_000
const iso = (ms: number) => new Date(ms).toISOString()
const timer: Command = { kind: 'timer', command: 1, dueAt: T0 + HOUR, data: JSON.stringify({ wakeAt: iso(T0 + HOUR) }) }
const wait: Command = {
  kind: 'wait',
  command: 1,
  name: 'paid',
  dueAt: T0 + HOUR,
  data: JSON.stringify({ timeoutAt: iso(T0 + HOUR) }),
}
const effect: Command = { kind: 'effect', command: 1, name: 'charge', options: {}, data: '{}' }

/** Asks for one command, and ends with the kind of what was delivered. */
const asksFor =
  (command: Command) =>
  () =>
  (delivery: Delivery): TurnOutput =>
    delivery.kind === 'start'
      ? { operations: [command], outcome: { kind: 'suspended' } }
      : { operations: [], outcome: { kind: 'completed', data: JSON.stringify({ result: delivery.kind }) } }

const failsFirst: EffectPerformer = {
  defaultsOf: () => ({ retry: { initialIntervalMs: HOUR, maxIntervalMs: HOUR } }),
  perform: ({ attempt }): Promise<EffectOutcome> =>
    Promise.resolve(
      attempt === 1
        ? { kind: 'failed', retryable: true, error: { code: 'effect_failed', message: 'declined' } }
        : { kind: 'completed', data: '{"result":7}' },
    ),
}

it('fires a timer early, with early in the history', async () => {
  rig = await createRig(asksFor(timer))
  const key = await rig.startUntil('waiting')
  expect(await rig.actEarly(key, 'fire', 1)).toEqual({ kind: 'accepted' })
  await rig.until(key, 'completed')
  expect(rig.journal(key)[2]).toMatchObject({ type: 'timer_fired', at: T0, command: 1, data: '{"early":true}' })
  expect(await rig.actEarly(key, 'fire', 1)).toEqual({ kind: 'refused', why: 'not_open' })
})

it('times out a wait early, but not before an earlier event', async () => {
  rig = await createRig(asksFor(wait))
  const [fired, sent] = [await rig.start(), await rig.start()]
  await rig.until(fired, 'waiting')
  await rig.until(sent, 'waiting')
  expect(await rig.actEarly(fired, 'fire', 1)).toEqual({ kind: 'accepted' })
  rig.hosts.hold()
  await rig.send(sent, 'paid')
  expect(await rig.actEarly(sent, 'fire', 1)).toEqual({ kind: 'accepted' })
  rig.hosts.resume()
  rig.clock.advance(1)
  await rig.until(fired, 'completed')
  await rig.until(sent, 'completed')
  expect(rig.journal(fired)[2]).toMatchObject({ type: 'wait_timed_out', data: '{"early":true}' })
  expect(rig.types(sent)).toContain('event_delivered')
})

it('retries a failed effect early, and marks the attempt', async () => {
  rig = await createRig(asksFor(effect), { effects: failsFirst })
  const key = await rig.start()
  await vi.waitFor(() => expect(rig.record(key).waitingFor).toMatchObject([{ attempt: 2, dueAt: T0 + HOUR }]))
  expect(await rig.actEarly(key, 'retry', 1)).toEqual({ kind: 'accepted' })
  await rig.until(key, 'completed')
  expect(rig.journal(key)[3]).toMatchObject({
    type: 'effect_completed',
    at: T0,
    attempt: 2,
    data: '{"result":7,"early":true}',
  })
})

it('is durable after the answer, even if the process ends', async () => {
  rig = await createRig(asksFor(timer))
  const key = await rig.startUntil('waiting')
  rig.hosts.hold()
  expect(await rig.actEarly(key, 'fire', 1)).toEqual({ kind: 'accepted' })
  rig.restart()
  expect(await rig.actEarly(key, 'fire', 1)).toEqual({ kind: 'accepted' }) // repeatable
  rig.hosts.resume()
  await rig.until(key, 'completed')
  expect(rig.journal(key).filter(({ data }) => data === '{"early":true}')).toHaveLength(1)
})

it('refuses commands that cannot be early, with the reason', async () => {
  let answer = (_outcome: EffectOutcome) => {}
  const effects: EffectPerformer = {
    defaultsOf: () => ({}),
    perform: () => new Promise((resolve) => (answer = resolve)),
  }
  rig = await createRig(
    () => (delivery) =>
      delivery.kind === 'start'
        ? {
            operations: [effect, { kind: 'wait', command: 2, name: 'paid', data: '{}' }, { ...timer, command: 3 }],
            outcome: { kind: 'suspended' },
          }
        : { operations: [], outcome: { kind: 'completed', data: '{}' } },
    { effects },
  )
  const key = await rig.startUntil('waiting')
  const why = async (action: 'fire' | 'retry', command: number) => {
    const outcome = await rig.actEarly(key, action, command)
    return outcome.kind === 'refused' ? outcome.why : outcome.kind
  }
  expect(await why('fire', 1)).toBe('effect')
  expect(await why('retry', 1)).toBe('under_way')
  expect(await why('fire', 2)).toBe('no_timeout')
  expect(await why('retry', 2)).toBe('not_an_effect')
  expect(await why('retry', 3)).toBe('not_an_effect')
  expect(await why('fire', 4)).toBe('not_open')
  expect(await rig.worker().actEarly(key + 1, 'fire', 1)).toEqual({ kind: 'gone' })
  answer({ kind: 'completed', data: '{}' })
  await rig.until(key, 'completed')
})

it('leaves an attempt alone that becomes due by itself while its early retry is stored', async () => {
  const attempts: number[] = []
  const effects: EffectPerformer = {
    ...failsFirst,
    perform: (call) => {
      attempts.push(call.attempt)
      return call.attempt === 1 ? failsFirst.perform(call) : new Promise(() => undefined)
    },
  }
  const go: Command = { kind: 'wait', command: 2, name: 'go', data: '{}' }
  rig = await createRig(
    () => (delivery) => ({
      operations: delivery.kind === 'start' ? [effect, go] : [],
      outcome: { kind: 'suspended' },
    }),
    { effects },
  )
  const key = await rig.start()
  await vi.waitFor(() => expect(rig.record(key).waitingFor[0]).toMatchObject({ attempt: 2, dueAt: T0 + HOUR }))
  rig.clock.advance(HOUR - 1)
  rig.hosts.hold()
  await rig.send(key, 'go')

  // The turn and the early retry share a commit, and the attempt is due when that is done.
  const { change, due } = rig.store.executions
  let early: Promise<unknown> | undefined
  vi.spyOn(rig.store.executions, 'change').mockImplementationOnce((...args) => {
    const stored = change(...args)
    early = rig.actEarly(key, 'retry', 1)
    return stored
  })
  rig.trouble.failsCommit = () => {
    rig.clock.jump(T0 + HOUR)
    return false
  }
  let looks = 0
  vi.spyOn(rig.store.executions, 'due').mockImplementation((...args) => {
    looks += 1
    if (looks > 20) throw new Error('it looks again and again')
    return due(...args)
  })
  rig.hosts.resume()
  await vi.waitFor(() => expect(early).toBeDefined())
  expect(await early).toEqual({ kind: 'accepted' })
  expect(attempts).toEqual([1, 2])
  rig.clock.advance(500)
  expect(looks).toBeLessThan(5)
})
