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

it('goes on with one message to the next attempt, however many ask for one that has failed', async () => {
  let open = 1
  const asked = attemptsWith({
    takeAttempt: async ({ attempt }) =>
      (attempt < open
        ? { kind: 'later', attempt: open, dueAt: 0 }
        : { kind: 'taken', effect: { dueAt: 0 }, head: {}, data: '{}' }) as never,
    performer: { perform: async () => ({}) as never },
    outcomes: {
      store: async () => ({ kind: 'again', attempt: ++open, delayMs: 0 }),
      storeRetry: () => Promise.reject(new Error('not asked for')),
    },
  })
  const kindOf = async (attempt: number, invocationId: string) =>
    (await asked.perform({ ...KEY, attempt }, invocationId)).kind
  expect(await kindOf(1, 'inv_1')).toBe('again')
  expect(await kindOf(1, 'inv_2')).toBe('nothing')
  // Restate did not get its answer.
  expect(await kindOf(1, 'inv_1')).toBe('again')
  expect(await kindOf(2, 'inv_3')).toBe('again')
  expect(await kindOf(2, 'inv_4')).toBe('nothing')
})

it('keeps no large input while the attempt waits for a place', async () => {
  const large = `{"input":"${'x'.repeat(20_000)}"}`
  const given: unknown[] = []
  const takeAttempt = vi.fn(async () => ({ kind: 'taken', effect: {}, head: {}, data: large }) as never)
  const letGo = vi.fn(async () => {})
  const asked = attemptsWith({
    ...{ takeAttempt, store: { takeAttempt, letGo } },
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
  // It has no outcome, so the death of this worker must not count as one of the attempt.
  expect(letGo).toHaveBeenCalledWith(KEY, 'worker')
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

it('asks again for an attempt that this process could not run, and for what follows one that has ended', async () => {
  const asks: unknown[] = []
  const asked = attemptsWith({
    takeAttempt: () => Promise.reject(new Error('not asked for')),
    performer: { perform: () => Promise.reject(new Error('not asked for')) },
    dispatcher: {
      poke: async (...poke) => void asks.push(poke),
      perform: async ({ attempt }, delayMs) => {
        asks.push({ attempt, delayMs })
        throw new Error('Restate is away')
      },
    },
  })
  asked.follow(KEY, Promise.reject(new Error('the database refuses it')))
  asked.follow(KEY, Promise.resolve({ kind: 'again', attempt: 2, delayMs: 7 }))
  asked.follow(KEY, Promise.resolve({ kind: 'poke' }))
  asked.follow(KEY, Promise.resolve({ kind: 'nothing' }))
  await vi.waitUntil(() => asks.length === 3)
  expect(asks).toEqual(
    expect.arrayContaining([{ attempt: 1, delayMs: 1_000 }, { attempt: 2, delayMs: 7 }, ['exe_1', 'effect']]),
  )
})

const retry = { initialIntervalMs: 60_000 }
const laterBy = (delayMs: number) => ({ kind: 'again', attempt: 1, delayMs })

it.each([
  [{ kind: 'taken', effect: { attempt: 1, dueAt: 6_000, options: { retry } }, head: {}, data: '{}' }, laterBy(5_000)],
  [{ kind: 'later', attempt: 1, dueAt: 6_000 }, laterBy(5_000)],
  [{ kind: 'elsewhere', isCertain: false }, laterBy(2_000)],
  [{ kind: 'answered' }, { kind: 'poke' }],
  [{ kind: 'gone' }, { kind: 'nothing' }],
])('does not perform what the store answers with %o', async (answer, performed) => {
  const perform = vi.fn()
  const letGo = vi.fn(() => Promise.reject(new Error('the database is away')))
  const takeAttempt = async () => answer as never
  const asked = attemptsWith({
    ...{ takeAttempt, performer: { perform }, now: () => 1_000 },
    store: { takeAttempt, letGo },
  })
  expect(await asked.perform(KEY, 'inv_1')).toEqual(performed)
  expect(perform).not.toHaveBeenCalled()
  expect(letGo).toHaveBeenCalledTimes(answer.kind === 'taken' ? 1 : 0)
})

it('takes no attempt once its worker stops, and hands over what it is asked for', async () => {
  const takeAttempt = vi.fn()
  const running = createRunningAttempts()
  const asked = attemptsWith({ takeAttempt, running, performer: { perform: vi.fn() } })
  await running.drain(0)
  expect(await asked.perform(KEY, 'inv_1')).toMatchObject({ kind: 'again', attempt: 1 })
  expect(takeAttempt).not.toHaveBeenCalled()
})

it('lets few handlers of Restate wait for long attempts, so that others have some', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const ends: (() => void)[] = []
  const asked = attemptsWith({
    takeAttempt: async () => ({ kind: 'taken', effect: {}, head: {}, data: '{}' }) as never,
    performer: { perform: () => new Promise((resolve) => ends.push(() => resolve(undefined))) },
    mostAwaited: 1,
  })
  const answers: string[] = []
  const ask = async (command: number): Promise<void> => {
    const { kind } = await asked.perform({ ...KEY, command }, `inv_${command}`)
    answers.push(`${command} ${kind}`)
  }
  void ask(1)
  await vi.advanceTimersByTimeAsync(1_000)
  void ask(2)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(answers).toEqual(['2 again'])
  ends[0]!()
  await vi.advanceTimersByTimeAsync(0)
  void ask(3)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(answers).toEqual(['2 again', '1 nothing'])
})
