import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createAskedAttempts } from './asked-attempts.ts'
import { createRunningAttempts } from './running-attempts.ts'

const KEY = { executionId: 'exe_1', command: 1, attempt: 1 }
const SWEEP_MS = 65_000

type Deps = Parameters<typeof createAskedAttempts>[0]

const attemptsWith = (deps: Pick<Deps, 'performer'> & Partial<Deps> & { takeAttempt: Deps['store']['takeAttempt'] }) =>
  createAskedAttempts({
    store: { takeAttempt: deps.takeAttempt, letGo: async () => {} },
    outcomes: {} as never,
    running: createRunningAttempts(),
    dispatcher: { poke: async () => {}, perform: async () => {} },
    name: 'worker',
    deadAfterMs: 6_000,
    mostAwaited: 0,
    now: () => Date.now(),
    log: pino({ level: 'silent' }),
    ...deps,
  })

/** Restate, for one attempt that takes hours: one handler at a time, and delayed messages. */
const hours = () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const asked = attemptsWith({
    takeAttempt: async () => ({ kind: 'taken', effect: { dueAt: 0 }, head: {}, data: '{}' }) as never,
    performer: { perform: () => new Promise(() => {}) },
  })
  let waiting = 0
  let isBusy = false
  let calls = 0
  const call = async (): Promise<void> => {
    if (isBusy || waiting === 0) return
    isBusy = true
    waiting -= 1
    calls += 1
    const performed = await asked.perform(KEY, `inv_${calls}`)
    isBusy = false
    if (performed.kind === 'again') setTimeout(send, performed.delayMs)
    void call()
  }
  const send = (): void => {
    waiting += 1
    void call()
  }
  send()
  setInterval(send, SWEEP_MS)
  return {
    callsInMinute: async () => {
      const before = calls
      await vi.advanceTimersByTimeAsync(60_000)
      return calls - before
    },
  }
}

it('does not let the messages of one long attempt multiply, however often the sweeper asks for it', async () => {
  const { callsInMinute } = hours()
  for (let minute = 0; minute < 60; minute += 1) await callsInMinute()
  // Every 15 s, and what the sweeper sends.
  expect(await callsInMinute()).toBeLessThanOrEqual(9)
})

it('tells a handler again to ask for a long attempt if Restate did not get its answer, and no other one', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const asked = attemptsWith({
    takeAttempt: async () => ({ kind: 'taken', effect: { dueAt: 0 }, head: {}, data: '{}' }) as never,
    performer: { perform: () => new Promise(() => {}) },
  })
  const kindOf = async (invocationId: string) => {
    const performed = asked.perform(KEY, invocationId)
    await vi.advanceTimersByTimeAsync(2_000)
    return (await performed).kind
  }
  const kinds = [await kindOf('inv_1'), await kindOf('inv_1'), await kindOf('inv_2'), await kindOf('inv_1')]
  expect(kinds).toEqual(['again', 'again', 'nothing', 'again'])
})

it('keeps no large input while the attempt waits for a place', async () => {
  const large = `{"input":"${'x'.repeat(20_000)}"}`
  const given: unknown[] = []
  const takeAttempt = vi.fn(async () => ({ kind: 'taken', effect: {}, head: {}, data: large }) as never)
  const asked = attemptsWith({
    takeAttempt,
    performer: {
      perform: async (_owner, _effect, data) => {
        given.push(typeof data === 'string' ? data : await data())
        return undefined
      },
    },
  })
  await asked.perform(KEY, 'inv_1')
  expect(given).toEqual([large])
  expect(takeAttempt).toHaveBeenCalledTimes(2)
})

it('stores nothing for an attempt that another worker has when its input is read', async () => {
  const answers = [
    { kind: 'taken', effect: {}, head: {}, data: `{"input":"${'x'.repeat(20_000)}"}` },
    { kind: 'elsewhere', isCertain: true },
  ]
  const store = vi.fn()
  const asked = attemptsWith({
    takeAttempt: async () => answers.shift() as never,
    performer: {
      // As the runner does: what cannot be read is a failure, unless nobody wants it.
      perform: async (_owner, _effect, data, signal) => {
        await (data as () => Promise<string>)().catch(() => {})
        return signal.aborted ? undefined : ({ end: {} } as never)
      },
    },
    outcomes: { store, storeRetry: store },
  })
  expect(await asked.perform(KEY, 'inv_1')).toEqual({ kind: 'nothing' })
  expect(store).not.toHaveBeenCalled()
})
