import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { OpenCommand } from '../../src-runtime/engine/execution-state.ts'
import type { Performed } from '../dispatch/dispatcher.ts'
import { createRunningAttempts, type RunningAttempts } from './running-attempts.ts'

let running: RunningAttempts
let cut: string[]
beforeEach(() => {
  vi.useFakeTimers()
  running = createRunningAttempts()
  cut = []
})
afterEach(() => vi.useRealTimers())

const begin = (turn: string): (() => void) => running.whenCut(() => cut.push(turn))

it('cuts turns that take long while it drains, whenever they began', () => {
  begin('before')
  const end = begin('short')
  void running.drain(10_000)
  vi.advanceTimersByTime(200)
  end()
  expect(cut).toEqual([])
  vi.advanceTimersByTime(50)
  expect(cut).toEqual(['before'])
  vi.advanceTimersByTime(1_000)
  begin('late')
  vi.advanceTimersByTime(200)
  expect(cut).toEqual(['before'])
  vi.advanceTimersByTime(50)
  expect(cut).toEqual(['before', 'late'])
})

it('cuts turns of a replaced worker that take long, and no others', () => {
  begin('long')
  vi.advanceTimersByTime(300)
  const end = begin('short')
  running.handOver()
  begin('later')
  vi.advanceTimersByTime(200)
  end()
  vi.advanceTimersByTime(10_000)
  expect(cut).toEqual(['long'])
})

it('aborts attempts that have ended elsewhere, but none that began after a visit had read which is open', async () => {
  let aborted = false
  let isHandedOver = true
  const untilAborted = (signal: AbortSignal): Promise<Performed> =>
    new Promise((resolve) =>
      signal.addEventListener('abort', () => {
        aborted = true
        isHandedOver = running.isHandedOver(signal)
        resolve({ kind: 'nothing' })
      }),
    )
  const liveWith = (attempt: number) => {
    const effect: OpenCommand = { kind: 'effect', command: 6, name: 'charge', since: 0, attempt, options: {} }
    return { open: new Map([[6, effect]]) }
  }
  const ended = running.run({ executionId: 'exe_1', command: 6, attempt: 2 }, untilAborted)
  running.abortClosed('exe_1', liveWith(1))
  running.abortClosed('exe_1', liveWith(2))
  expect(aborted).toBe(false)
  running.abortClosed('exe_1', liveWith(3))
  running.handOver()
  expect(await ended).toEqual({ kind: 'nothing' })
  expect(isHandedOver).toBe(false)
})

it('aborts one of the attempts of an Execution, and all that are left when it has ended', async () => {
  const aborted: string[] = []
  const run = (executionId: string, command: number): Promise<Performed> =>
    running.run(
      { executionId, command, attempt: 1 },
      (signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            aborted.push(`${executionId}.${command}`)
            resolve({ kind: 'nothing' })
          }),
        ),
    )
  const all = [run('exe_1', 1), run('exe_1', 2), run('exe_1', 3)]
  void run('exe_2', 1)
  const open = [1, 3].map((command): [number, OpenCommand] => [
    command,
    { kind: 'effect', command, name: 'charge', since: 0, attempt: 1, options: {} },
  ])
  running.abortClosed('exe_1', { open: new Map(open) })
  expect(aborted).toEqual(['exe_1.2'])
  await all[1]
  running.abortClosed('exe_1', undefined)
  await Promise.all(all)
  expect([aborted, running.size]).toEqual([['exe_1.2', 'exe_1.1', 'exe_1.3'], 1])
})

it('aborts what still runs when the grace of its stop is over, and waits until that is noted', async () => {
  const isNoted = Promise.withResolvers<void>()
  const ended = running.run({ executionId: 'exe_1', command: 1, attempt: 1 }, (signal, onBegin) => {
    onBegin()
    return new Promise((resolve) =>
      signal.addEventListener('abort', () => void isNoted.promise.then(() => resolve({ kind: 'nothing' }))),
    )
  })
  let isOver = false
  const drained = running.drain(4_000).then(() => (isOver = true))
  await vi.advanceTimersByTimeAsync(4_500)
  expect(isOver).toBe(false)
  isNoted.resolve()
  expect(await ended).toEqual({ kind: 'nothing' })
  await drained
})

it('runs an attempt once after one that was aborted, also when that one ends late', async () => {
  const key = { executionId: 'exe_1', command: 1, attempt: 1 }
  const first = Promise.withResolvers<Performed>()
  const ended = running.run(key, () => first.promise)
  running.abort(key)
  void running.run(key, () => new Promise(() => {}))
  first.resolve({ kind: 'nothing' })
  await ended
  expect([running.has(key), running.size]).toEqual([true, 1])
})

it.each(['handOver', 'drain'] as const)(
  'hands over attempts that have not begun, and lets others end: %s',
  async (how) => {
    const end = Promise.withResolvers<Performed>()
    const aborted: string[] = []
    const attempt = (id: string, hasBegun: boolean) =>
      running.run({ executionId: id, command: 1, attempt: 1 }, (signal, onBegin) => {
        if (hasBegun) onBegin()
        signal.addEventListener('abort', () => aborted.push(`${id}: ${running.isHandedOver(signal)}`))
        return end.promise
      })
    const both = [attempt('waiting', false), attempt('begun', true)]
    const drained = running[how](4_000)
    expect(aborted).toEqual(['waiting: true'])
    end.resolve({ kind: 'nothing' })
    await Promise.all(both)
    await drained
    expect(aborted).toEqual(['waiting: true'])
  },
)

it('runs no attempt twice at a time: who asks again gets the same answer', async () => {
  const key = { executionId: 'exe_1', command: 1, attempt: 1 }
  const answer = Promise.withResolvers<Performed>()
  let runs = 0
  const run = (): Promise<Performed> => {
    runs += 1
    return answer.promise
  }
  const both = [running.run(key, run), running.run(key, run)]
  answer.resolve({ kind: 'nothing' })
  expect(await Promise.all(both)).toEqual([{ kind: 'nothing' }, { kind: 'nothing' }])
  expect(runs).toBe(1)
})

it('lists attempts that have run for longer than a time', () => {
  const [old, young] = [1, 2].map((command) => ({ executionId: 'exe_1', command, attempt: 1 }))
  const forEver = (): Promise<Performed> => new Promise(() => {})
  void running.run(old!, forEver)
  vi.advanceTimersByTime(1_000)
  void running.run(young!, forEver)
  vi.advanceTimersByTime(10)
  expect(running.olderThan(500)).toEqual([old])
  expect(running.olderThan(2_000)).toEqual([])
})
