import pino from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { effectResult, type OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import { createAskedAttempts } from './asked-attempts.ts'
import { createEffectSpeeds } from './effect-speeds.ts'
import { createEffectsHere, type EffectsHere } from './effects-here.ts'
import type { AttemptPerformer, EndedAttempt } from './perform-attempts.ts'
import { createRunningAttempts } from './running-attempts.ts'
import type { OutcomeWriter } from './store-outcomes.ts'
import type { VisitedExecution } from './visited-execution.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const executionId = 'exe_1'
const effect: OpenEffect = { kind: 'effect', command: 1, name: 'charge', since: 0, attempt: 1, options: {} }
const execution = { head: {}, live: { open: new Map([[1, effect]]), effectDeliveries: [] } }

it('hands over an attempt for which its visit waits no more, when this worker stops', async () => {
  const running = createRunningAttempts()
  const asks: string[] = []
  const parts = {
    executionId,
    performer: {
      perform: (_owner: unknown, _effect: unknown, _data: unknown, signal: AbortSignal) =>
        new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined))),
    },
    outcomes: { store: () => Promise.reject(new Error('none')), storeRetry: () => Promise.reject(new Error('none')) },
    running,
    speeds: createEffectSpeeds(),
    store: { takeAttempt: () => Promise.reject(new Error('it runs here')), letGo: () => Promise.resolve() },
    dispatcher: {
      poke: () => Promise.resolve(),
      perform: async (...[{ attempt }, delayMs]: [{ readonly attempt: number }, number]) =>
        void asks.push(`${attempt} after ${delayMs} ms`),
    },
    name: 'worker',
    deadAfterMs: 1_000,
    mostAwaited: 1,
    now: Date.now,
    log: pino({ level: 'silent' }),
  }
  const asked = createAskedAttempts(parts)
  const here = createEffectsHere({ ...parts, asked })
  const visited = execution as unknown as VisitedExecution
  here.begin(visited, effect, '{}')
  vi.advanceTimersByTime(5_001)
  expect((await here.settle(visited)).byMessage).toEqual([1])
  const performed = asked.perform({ executionId, command: 1, attempt: 1 }, 'inv_perform')
  await vi.advanceTimersByTimeAsync(1_001) // the handler waits for it
  const drained = running.drain(0)
  await vi.advanceTimersByTimeAsync(1)
  await drained
  expect(await performed).toMatchObject({ kind: 'again', attempt: 1 })
  expect(asks).toEqual(['1 after 1000 ms'])
})

describe('a visit', () => {
  it('asks for an effect that was handed over before it began here', async () => {
    const running = createRunningAttempts()
    const here = createEffectsHere({
      ...{ executionId, running, speeds: createEffectSpeeds() },
      performer: {
        perform: (_owner, _effect, _data, signal) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined))),
      },
      outcomes: { store: () => Promise.reject(new Error('none')), storeRetry: () => Promise.resolve(false) },
      asked: {
        follow: () => {},
        letGo: async ({ attempt }, signal) =>
          running.isHandedOver(signal!) ? { kind: 'again', attempt, delayMs: 0 } : { kind: 'nothing' },
      },
    })
    const visited = execution as unknown as VisitedExecution
    here.begin(visited, effect, '{}')
    running.handOver()
    await here.next(1_000)
    expect((await here.settle(visited)).byMessage).toEqual([1])
  })

  const ended: EndedAttempt = {
    end: { kind: 'delivery', delivery: effectResult(effect, '{}', 0) },
    computeMs: 0,
  }
  const none = () => Promise.reject(new Error('not asked for'))
  /** Its attempts take so long each, and end so. */
  const visitWith = (
    attemptMs: number,
    outcomes: Partial<OutcomeWriter> = {},
    end = ended,
    running = createRunningAttempts(),
  ) => {
    const speeds = createEffectSpeeds()
    speeds.note('version', effect.name, attemptMs)
    const perform: AttemptPerformer['perform'] = (_owner, _effect, _data, _signal, onBegin) => {
      onBegin?.()
      return new Promise((resolve) => setTimeout(resolve, attemptMs, end))
    }
    return createEffectsHere({
      ...{ executionId, speeds, running, performer: { perform } },
      outcomes: { store: none, storeRetry: none, ...outcomes },
      asked: { follow: () => {}, letGo: none },
    })
  }
  const visitedExecution = (): VisitedExecution => {
    const live = { open: new Map([[1, effect]]), openEffects: new Set([1]), effectDeliveries: [] }
    return { head: { versionId: 'version' }, live, unread: [] } as unknown as VisitedExecution
  }
  const waitFor = async (here: EffectsHere, ms: number): Promise<void> => {
    const waited = here.next(ms)
    await vi.advanceTimersByTimeAsync(ms)
    await waited
  }

  it('performs short effects for a second', async () => {
    const here = visitWith(90)
    let attempts = 0
    for (let visited = visitedExecution(); here.admits(visited, effect); visited = visitedExecution()) {
      here.begin(visited, effect, '{}')
      await waitFor(here, 90)
      await here.settle(visited)
      here.committed(visitedExecution())
      attempts += 1
    }
    expect(attempts).toBe(Math.ceil(1_000 / 90))
  })

  it('hands outcomes to the Execution as it is loaded again, until a turn that delivers them is stored', async () => {
    const here = visitWith(5)
    const visited = visitedExecution()
    here.begin(visited, effect, '{}')
    await waitFor(here, 5)
    expect(here.hasOnlyFailed).toBe(false)
    await here.settle(visited)
    const delivered = ({ live }: VisitedExecution) => live.effectDeliveries.map(({ command }) => command)
    const loaded = visitedExecution()
    here.handOverAgain(loaded)
    expect([delivered(visited), delivered(loaded), here.hasOutcomes]).toEqual([[1], [1], true])
    here.handOverAgain(loaded)
    expect(delivered(loaded)).toEqual([1])
    const later = visitedExecution()
    const { open } = later.live as { open: Map<number, OpenEffect> }
    for (const isOpenAs of [() => open.set(1, { ...effect, attempt: 2 }), () => open.clear()]) {
      isOpenAs()
      here.handOverAgain(later)
      expect(delivered(later)).toEqual([])
    }
    here.committed(visited)
    expect(here.hasOutcomes).toBe(true)
    here.committed(later)
    expect(here.hasOutcomes).toBe(false)
  })

  it('ignores the outcome of an effect that is no longer awaited', async () => {
    const here = visitWith(5)
    const visited = visitedExecution()
    here.begin(visited, effect, '{}')
    await waitFor(here, 5)
    const { live } = visitedExecution()
    const closed = { ...visited, live: { ...live, open: new Map() } }
    expect(await here.settle(closed)).toEqual({ computeMs: 0, byMessage: [] })
    expect([closed.live.effectDeliveries, here.count]).toEqual([[], 0])
  })

  it.each([
    [true, [1], 2],
    [false, [], 1],
  ])('asks for the next attempt of a failed one if it has stored the failure: %s', async (isStored, asks, attempt) => {
    const next: OpenEffect = { ...effect, attempt: 2 }
    const storeRetry = async () => isStored
    const here = visitWith(5, { storeRetry }, { end: { kind: 'retry', next, change: {} }, computeMs: 0 })
    const visited = visitedExecution()
    here.begin(visited, effect, '{}')
    await waitFor(here, 5)
    expect(here.hasOnlyFailed).toBe(true)
    expect((await here.settle(visited)).byMessage).toEqual(asks)
    expect([visited.live.open.get(1), visited.isStale]).toMatchObject([{ attempt }, isStored])
    expect(here.hasOnlyFailed).toBe(false)
    expect(here.count).toBe(0)
  })

  it('stores what runs and what has ended by itself when it fails, also where its worker is replaced meanwhile', async () => {
    const running = createRunningAttempts()
    const aborted = new Map<number, boolean>()
    const store: OutcomeWriter['store'] = async ({ command }, _ended, signal) => {
      running.handOver()
      aborted.set(command, signal.aborted)
      return { kind: 'nothing' }
    }
    const here = visitWith(5, { store }, ended, running)
    const visited = visitedExecution()
    here.begin(visited, effect, '{}')
    await waitFor(here, 5)
    await here.settle(visited)
    here.begin(visited, { ...effect, command: 2 }, '{}')
    await waitFor(here, 5)
    here.begin(visited, { ...effect, command: 3 }, '{}')
    await vi.advanceTimersByTimeAsync(1)
    here.keep()
    here.abort()
    await vi.advanceTimersByTimeAsync(5)
    expect([...aborted].toSorted()).toEqual([
      [1, false],
      [2, false],
      [3, false],
    ])
  })

  it('asks for an attempt that this process could not run', async () => {
    const running = createRunningAttempts()
    const here = visitWith(5, {}, ended, running)
    const visited = visitedExecution()
    void running.run({ executionId, command: 1, attempt: 1 }, async () => ({ kind: 'nothing' }))
    here.begin(visited, effect, '{}')
    await waitFor(here, 1)
    expect((await here.settle(visited)).byMessage).toEqual([1])
    expect([here.isRunning(1), visited.isStale]).toEqual([false, true])
  })

  it('looks what has come from outside after each wait of 250 ms, also where its timer fires early', async () => {
    const here = visitWith(5_000)
    const visited = visitedExecution()
    here.begin(visited, effect, '{}')
    await waitFor(here, 150)
    expect(here.isLate).toBe(false)
    for (const saw of [here.handOverAgain, here.committed]) {
      await waitFor(here, 245)
      expect(here.isLate).toBe(true)
      saw(visited)
      expect(here.isLate).toBe(false)
    }
  })
})
