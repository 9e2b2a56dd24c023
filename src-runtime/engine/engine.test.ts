import { describe, expect, it } from 'vitest'
import { acceptCancel, acceptEvent, eventData, MAX_BUFFERED_BYTES, MAX_BUFFERED_EVENTS } from './accept.ts'
import { actEarly } from './act-early.ts'
import {
  countDeath,
  dueEffects,
  effectResult,
  failAttempt,
  failureByDeaths,
  runsAlone,
  type OpenEffect,
} from './effect-attempts.ts'
import { missingEntry } from './damaged-execution.ts'
import { endOutsideTurn } from './end-execution.ts'
import type { JournalEntry } from './journal.ts'
import { addOpen, beginLive, closeAll, updateOpen } from './live-execution.ts'
import { nondeterminismError } from './nondeterminism.ts'
import { replayTurns } from './replay-turns.ts'
import { effectTimeoutMs, nextAttemptAt } from './retry-policy.ts'
import { createMemoryRow } from './memory-row.ts'
import { newHead, START_DATA } from './simulation.test-support.ts'

describe('acceptEvent', () => {
  const data = eventData({ id: 'evt_1', payload: '{"by":"me"}' })
  const event = { name: 'approved', data, bytes: data.length }
  const entries = [{ at: 5, type: 'event_received', name: 'approved', data: '{"id":"evt_1","payload":{"by":"me"}}' }]

  it('sets a waiting Execution to running if a wait can take the event', () => {
    expect(acceptEvent(event, 5, newHead({ status: 'waiting' }), () => true)).toEqual({ entries, status: 'running' })
  })

  it('buffers the event if nothing waits for it, or in another status', () => {
    expect(acceptEvent(event, 5, newHead({ status: 'waiting' }), () => false)).toEqual({ entries })
    expect(acceptEvent(event, 5, newHead({ status: 'cancelling' }), () => true)).toEqual({ entries })
  })

  it('refuses if the Execution has ended, or too many or too large events are buffered', () => {
    expect(acceptEvent(event, 5, newHead({ status: 'failed' }), () => true)).toBeUndefined()
    expect(acceptEvent(event, 5, newHead({ buffered: MAX_BUFFERED_EVENTS }), () => true)).toBeUndefined()
    const bufferedBytes = MAX_BUFFERED_BYTES - data.length
    expect(acceptEvent(event, 5, newHead({ bufferedBytes }), () => true)).toBeDefined()
    expect(acceptEvent(event, 5, newHead({ bufferedBytes: bufferedBytes + 1 }), () => true)).toBeUndefined()
  })

  it('accepts the event that is awaited, however many or large events are buffered', () => {
    for (const full of [{ buffered: MAX_BUFFERED_EVENTS }, { bufferedBytes: MAX_BUFFERED_BYTES }]) {
      const head = newHead({ status: 'waiting', ...full })
      expect(acceptEvent(event, 5, head, () => true)).toEqual({ entries, status: 'running' })
      expect(acceptEvent(event, 5, head, () => false)).toBeUndefined()
    }
  })

  it('leaves out a missing payload', () => {
    expect(eventData({ id: 'evt_1' })).toBe('{"id":"evt_1"}')
  })
})

describe('acceptCancel', () => {
  it('ends a queued Execution at once, without running code', () => {
    expect(acceptCancel(9, newHead())).toEqual({
      entries: [
        { at: 9, type: 'cancel_requested' },
        { at: 9, type: 'execution_cancelled' },
      ],
      status: 'cancelled',
      cancelRequestedAt: 9,
      finishedAt: 9,
    })
  })

  it('lets a running or waiting Execution clean up', () => {
    expect(acceptCancel(9, newHead({ status: 'waiting' }))).toEqual({ status: 'cancelling', cancelRequestedAt: 9 })
  })

  it('writes nothing the second time, or when the Execution has ended', () => {
    expect(acceptCancel(9, newHead({ status: 'cancelling', cancelRequestedAt: 8 }))).toBeUndefined()
    expect(acceptCancel(9, newHead({ status: 'completed' }))).toBeUndefined()
  })
})

describe('endOutsideTurn', () => {
  it('fails a live Execution, and ignores one that has ended', () => {
    const ending = { kind: 'failed', error: { code: 'nondeterminism', message: 'differs' } } as const
    expect(endOutsideTurn(ending, newHead({ status: 'waiting' }), 9)).toMatchObject({ status: 'failed', finishedAt: 9 })
    expect(endOutsideTurn(ending, newHead({ status: 'cancelled' }), 9)).toBeUndefined()
  })

  it('cancels an Execution whose clean-up timed out, with the cancel already in the journal', () => {
    const head = newHead({ status: 'cancelling', cancelRequestedAt: 5, cancelDelivered: true })
    const change = endOutsideTurn({ kind: 'completed', data: '{}' }, head, 9)
    expect(change).toMatchObject({ status: 'cancelled', entries: [{ at: 9, type: 'execution_cancelled' }] })
  })
})

describe('the retry policy', () => {
  it('doubles the delay from half a second to a minute, with ten attempts', () => {
    const intervals = Array.from({ length: 10 }, (_, index) => nextAttemptAt({}, index + 1, true, 0))
    expect(intervals).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, undefined])
  })

  it('uses at least its own first interval, unless it has a maximum', () => {
    const hourMs = 3_600_000
    const first = (retry: object) => nextAttemptAt({ retry }, 1, true, 0)
    expect(first({ initialIntervalMs: hourMs })).toBe(hourMs)
    expect(nextAttemptAt({ retry: { initialIntervalMs: hourMs } }, 2, true, 0)).toBe(hourMs)
    expect(first({ initialIntervalMs: hourMs, maxIntervalMs: 5_000 })).toBe(5_000)
  })

  it('is clamped to a valid time, whatever was stored', () => {
    const yearMs = 365 * 24 * 3_600_000
    const after = (retry: object, attempt: number) => nextAttemptAt({ retry }, attempt, true, 5)
    expect(after({ initialIntervalMs: 0, backoffCoefficient: 1e200, maxAttempts: 9 }, 3)).toBe(5)
    expect(after({ initialIntervalMs: 8.64e15, maxIntervalMs: 8.64e15 }, 1)).toBe(5 + yearMs)
    expect(after({ initialIntervalMs: 1, maxIntervalMs: 1e300, maxAttempts: 1e9 }, 900_000)).toBe(5 + yearMs)
    expect(after({ initialIntervalMs: NaN, backoffCoefficient: null, maxIntervalMs: -1 }, 1)).toBe(5)
    expect(after({ maxAttempts: 1e9 }, 1_000_000)).toBeUndefined()
    expect(effectTimeoutMs({ timeoutMs: 1e300 })).toBe(yearMs)
  })

  it('names whole ms, whatever the coefficient is', () => {
    const retry = { initialIntervalMs: 5, backoffCoefficient: 1.5 }
    expect([1, 2, 3].map((attempt) => nextAttemptAt({ retry }, attempt, true, 100))).toEqual([105, 108, 112])
  })

  it('uses the options of the effect, and never retries an error that prevents it', () => {
    const options = { retry: { maxAttempts: 3, initialIntervalMs: 10, backoffCoefficient: 1 }, timeoutMs: 7 }
    expect(nextAttemptAt(options, 2, true, 100)).toBe(110)
    expect(nextAttemptAt(options, 3, true, 100)).toBeUndefined()
    expect(nextAttemptAt(options, 1, false, 100)).toBeUndefined()
    expect(effectTimeoutMs(options)).toBe(7)
    expect(effectTimeoutMs({})).toBe(300_000)
  })
})

describe('attempts of effects', () => {
  const effect: OpenEffect = { kind: 'effect', command: 1, name: 'charge', since: 0, attempt: 1, options: {} }
  const error = { code: 'effect_failed', message: 'declined' }
  const liveWithEffect = () => {
    const live = beginLive(newHead(), START_DATA)
    addOpen(live, effect)
    addOpen(live, { kind: 'timer', command: 2, since: 0, dueAt: 5 })
    return live
  }

  it('start at once the first time, and after a delay when they failed', () => {
    const live = liveWithEffect()
    expect(dueEffects(live, 0)).toEqual([effect])
    const failed = failAttempt(effect, { error, retryable: true }, 100)
    expect(failed).toEqual({
      kind: 'retry',
      next: { ...effect, attempt: 2, dueAt: 600 },
      change: {
        entries: [
          {
            at: 100,
            type: 'effect_attempt_failed',
            command: 1,
            name: 'charge',
            attempt: 1,
            data: '{"error":{"code":"effect_failed","message":"declined"},"nextAttemptAt":"1970-01-01T00:00:00.600Z"}',
          },
        ],
        rescheduled: [{ ...effect, attempt: 2, dueAt: 600 }],
      },
    })
    if (failed.kind === 'retry') updateOpen(live, failed.next)
    expect(dueEffects(live, 599)).toEqual([])
    expect(dueEffects(live, 600)).toMatchObject([{ attempt: 2 }])
  })

  it('are not retried if their effect was closed while the failure was stored', () => {
    const live = liveWithEffect()
    closeAll(live)
    updateOpen(live, { ...effect, attempt: 2, dueAt: 600 })
    expect(dueEffects(live, 10_000)).toEqual([])
  })

  it('are delivered as a failure if there is no next one', () => {
    const failed = failAttempt(effect, { error, retryable: false }, 100)
    expect(failed).toMatchObject({ kind: 'given_up', delivery: { kind: 'effect_failure', at: 100, attempt: 1 } })
  })

  it('are kept with the beginning of their error behind the hundredth, and with the whole one if there is no next one', () => {
    const long = { code: 'E', name: 'Declined', message: 'm'.repeat(1_000), stack: 's', cause: { message: 'c' } }
    const keptOf = (attempt: number, retryable: boolean): unknown => {
      const failed = failAttempt(
        { ...effect, attempt, options: { retry: { maxAttempts: 1_000 } } },
        { error: long, retryable },
        100,
      )
      const data = failed.kind === 'retry' ? failed.change.entries?.[0]?.data : failed.delivery.data
      return (JSON.parse(data ?? '') as { readonly error: unknown }).error
    }
    expect(keptOf(100, true)).toEqual(long)
    expect(keptOf(101, true)).toEqual({
      code: 'E',
      name: 'Declined',
      message: `${'m'.repeat(200)} … (800 more characters)`,
    })
    expect(keptOf(101, false)).toEqual(long)
    expect(keptOf(1_000, true)).toEqual(long)
  })

  it('are dropped when all commands are closed', () => {
    const live = liveWithEffect()
    closeAll(live)
    expect(dueEffects(live, 10_000)).toEqual([])
  })
})

describe('replayTurns', () => {
  const entry = (position: number, rest: Omit<JournalEntry, 'position' | 'at'>): JournalEntry => ({
    position,
    at: 1_000 + position,
    ...rest,
  })
  const journal: JournalEntry[] = [
    entry(1, { type: 'execution_started', data: START_DATA }),
    entry(2, { type: 'log', data: '{}' }),
    entry(3, { type: 'effect_scheduled', command: 1, name: 'charge', data: '{"input":1}' }),
    entry(4, { type: 'wait_scheduled', command: 2, name: 'a', data: '{"timeoutAt":"1970-01-01T00:00:09.000Z"}' }),
    entry(5, { type: 'timer_scheduled', command: 3, data: '{"wakeAt":"1970-01-01T00:00:02.000Z"}' }),
    entry(6, { type: 'event_received', name: 'a', data: '{"id":"evt_1","payload":true}' }),
    entry(7, { type: 'effect_attempt_failed', command: 1, name: 'charge', attempt: 1, data: '{}' }),
    entry(8, { type: 'event_delivered', command: 2, name: 'a', source: 6, data: '{"id":"evt_1"}' }),
    entry(9, { type: 'wait_scheduled', command: 4, name: 'b', data: '{}' }),
    entry(10, { type: 'effect_completed', command: 1, name: 'charge', attempt: 2, data: '{"result":1}' }),
    entry(11, { type: 'timer_fired', command: 3 }),
    entry(12, { type: 'wait_timed_out', command: 4, name: 'b' }),
    entry(13, { type: 'effect_failed', command: 5, name: 'charge', attempt: 1, data: '{"error":{}}' }),
    entry(14, { type: 'cancel_requested' }),
  ]

  it('reads a journal as its turns, each with its commands', () => {
    const turns = [...replayTurns(journal, (position) => journal[position - 1]!.data!)]
    expect(turns).toEqual([
      {
        delivery: { kind: 'start', at: 1_001, data: START_DATA },
        expected: [
          { kind: 'effect', command: 1, name: 'charge', options: {}, data: '{"input":1}' },
          { kind: 'wait', command: 2, name: 'a', dueAt: 9_000, data: journal[3]!.data },
          { kind: 'timer', command: 3, dueAt: 2_000, data: journal[4]!.data },
        ],
      },
      {
        delivery: {
          kind: 'event',
          at: 1_008,
          command: 2,
          name: 'a',
          source: 6,
          eventId: 'evt_1',
          data: '{"id":"evt_1","payload":true}',
        },
        expected: [{ kind: 'wait', command: 4, name: 'b', data: '{}' }],
      },
      {
        delivery: { kind: 'effect_result', at: 1_010, command: 1, name: 'charge', attempt: 2, data: '{"result":1}' },
        expected: [],
      },
      { delivery: { kind: 'timer', at: 1_011, command: 3 }, expected: [] },
      { delivery: { kind: 'wait_timeout', at: 1_012, command: 4, name: 'b' }, expected: [] },
      {
        delivery: { kind: 'effect_failure', at: 1_013, command: 5, name: 'charge', attempt: 1, data: '{"error":{}}' },
        expected: [],
      },
      { delivery: { kind: 'cancel', at: 1_014 }, expected: [] },
    ])
  })

  it('returns nothing for an empty journal', () => {
    expect([...replayTurns([], () => '{}')]).toEqual([])
  })
})

describe('nondeterminismError', () => {
  it('shows both commands', () => {
    const timer = { kind: 'timer', command: 3, dueAt: 1, data: '{"wakeAt":"then"}' } as const
    const wait = { kind: 'wait', command: 3, name: 'a', data: '{}' } as const
    const error = nondeterminismError({ turn: 4, expected: timer, found: wait, stack: 'at run (order.ts:3:1)' })
    expect(error).toEqual({
      code: 'nondeterminism',
      message:
        'replay of turn 5 differs from the history: the history holds timer {"wakeAt":"then"} as command 3, ' +
        'the Program now asks for wait for event "a" {} as command 3. This Execution cannot go on. Start it again with ' +
        'the same input: a new one runs the newest version from the beginning, with its effects',
      stack: 'at run (order.ts:3:1)',
    })
  })

  it('says if there is no command on one side, or an end, and shortens long texts', () => {
    const effect = {
      kind: 'effect',
      command: 1,
      name: 'e',
      options: {},
      data: `{"input":"${'x'.repeat(300)}"}`,
    } as const
    expect(nondeterminismError({ turn: 0, expected: effect }).message).toMatch(
      /holds effect "e" \{"input":"x+… as command 1, the Program now asks for nothing more\. This Execution cannot go on/,
    )
    expect(nondeterminismError({ turn: 0, found: { kind: 'ended', message: 'completed' } }).message).toMatch(
      /holds nothing more, the Program now asks for its end \(completed\)\. /,
    )
  })

  it('shortens long texts between two characters', () => {
    for (const before of ['', 'x']) {
      const data = (end: string) => `{"input":"${before}${'😀'.repeat(200)}${end}${'😀'.repeat(200)}"}`
      const effect = { kind: 'effect', command: 1, name: 'e', options: {} } as const
      const error = nondeterminismError({
        turn: 0,
        expected: { ...effect, data: data('1') },
        found: { ...effect, data: data('2') },
      })
      expect(error.message.isWellFormed()).toBe(true)
    }
  })

  it('shows where long texts differ', () => {
    const asking = (depth: number) => {
      const data = `{"input":{"text":"${'x'.repeat(300)}","depth":${depth},"more":"${'y'.repeat(300)}"}}`
      return { kind: 'effect', command: 1, name: 'e', options: {}, data } as const
    }
    expect(nondeterminismError({ turn: 0, expected: asking(670), found: asking(676) }).message).toMatch(
      /holds effect "e" …x+","depth":670,"more":"y+… as command 1, the Program now asks for effect "e" …x+","depth":676,/,
    )
    expect(nondeterminismError({ turn: 0, expected: asking(1), found: { ...asking(1), name: 'f' } }).message).toMatch(
      /holds effect "e" \{"input":.* asks for effect "f" \{"input":/,
    )
  })
})

describe('an event with an idempotency key', () => {
  it('is stored with the key', () => {
    const data = eventData({ id: 'evt_1' })
    const idempotency = { key: 'k', bodyHash: 'h' }
    const event = { name: 'approved', data, bytes: data.length, idempotency }
    expect(acceptEvent(event, 5, newHead(), () => false)).toMatchObject({ eventKey: idempotency })
  })
})

describe('actEarly', () => {
  const wait = { kind: 'event', command: 1, name: 'approved', since: 0 } as const
  const effect: OpenEffect = { kind: 'effect', command: 1, name: 'charge', since: 0, attempt: 2, options: {} }

  it('changes nothing the second time', () => {
    expect(actEarly('fire', { ...wait, dueAt: 900 }, 100)).toMatchObject({ open: { dueAt: 101, early: true } })
    expect(actEarly('fire', { ...wait, dueAt: 101, early: true }, 100)).toEqual({ kind: 'due' })
    expect(actEarly('retry', { ...effect, dueAt: 50, early: true }, 100)).toEqual({ kind: 'due' })
    expect(actEarly('retry', { ...effect, dueAt: 900 }, 100)).toMatchObject({ open: { dueAt: 100, early: true } })
  })

  it('refuses running attempts, and waits without a timeout', () => {
    expect(actEarly('retry', { ...effect, dueAt: 50 }, 100)).toEqual({ kind: 'refused', why: 'under_way' })
    expect(actEarly('retry', effect, 100)).toEqual({ kind: 'refused', why: 'under_way' })
    expect(actEarly('fire', wait, 100)).toEqual({ kind: 'refused', why: 'no_timeout' })
    expect(actEarly('fire', { ...wait, dueAt: 100 }, 100)).toEqual({ kind: 'due' })
  })
})

describe('an attempt during which the runtime crashed', () => {
  const effect: OpenEffect = { kind: 'effect', command: 1, name: 'charge', since: 0, attempt: 2, options: {} }

  it('counts its crashes, runs alone after the second, and fails after the third', () => {
    let open = effect
    const ran = [open]
    for (let deaths = 0; deaths < 3; deaths += 1) ran.push((open = countDeath(open, 2) as OpenEffect))
    expect(ran.map(runsAlone)).toEqual([false, false, true, true])
    expect(ran.map((one) => failureByDeaths(one) !== undefined)).toEqual([false, false, false, true])
    expect(failureByDeaths(open)?.message).toMatch(/so the attempt has failed$/)
    expect(failureByDeaths(open, { mostDeaths: 4 })).toBeUndefined()
    expect(failureByDeaths(open, { advice: 'Do this' })?.message).toMatch(/so the attempt has failed\. Do this$/)
  })

  it('does not count the crashes of another attempt', () => {
    expect(countDeath(effect, 1)).toBeUndefined()
    expect(countDeath(undefined, 1)).toBeUndefined()
  })

  it('delivers an early result as early', () => {
    const early = { ...effect, early: true } as const
    expect(effectResult(effect, '{"result":1}', 5)).toMatchObject({ data: '{"result":1}' })
    expect(effectResult(early, '{"result":1}', 5)).toMatchObject({ data: '{"result":1,"early":true}' })
    expect(effectResult(early, '{}', 5)).toMatchObject({ data: '{"early":true}' })
  })
})

describe('a journal in memory', () => {
  it('has no buffered events once all are consumed', () => {
    const row = createMemoryRow({ id: 'exe_1', programId: 'p', createdAt: 0 }, '{}', Buffer.byteLength)
    row.change(() => ({ entries: [{ at: 1, type: 'event_received', name: 'a', data: '{"id":"evt_1"}' }] }))
    expect(row.head().buffered).toBe(1)
    row.change(() => ({ consumed: 'all' }))
    expect(row.head()).toMatchObject({ buffered: 0, bufferedBytes: 0 })
  })
})

describe('replayTurns of an incomplete journal', () => {
  it('finds no turn in a journal without entries or with another first entry', () => {
    const log = { position: 1, at: 0, type: 'log', data: '{}' } as const
    expect([...replayTurns([], () => '{}')]).toEqual([])
    expect([...replayTurns([log], () => '{}')]).toEqual([])
  })

  it('reports the missing entry', () => {
    const started: JournalEntry = { position: 1, at: 0, type: 'execution_started', data: START_DATA }
    const second: JournalEntry = { position: 2, at: 0, type: 'wait_scheduled', command: 2, name: 'a', data: '{}' }
    expect(() => [...replayTurns([started, second], () => '{}')]).toThrow('schedules command 1 is missing')
    const delivered: JournalEntry = {
      position: 3,
      at: 1,
      type: 'event_delivered',
      command: 1,
      name: 'a',
      source: 2,
      data: '{"id":"evt_1"}',
    }
    const withoutEvent = (position: number): never => {
      throw missingEntry(position, 'event_received')
    }
    expect(() => [...replayTurns([started, delivered], withoutEvent)]).toThrow(
      'entry 2 of the history (event_received)',
    )
  })

  it('delivers an early entry as early', () => {
    const fired: JournalEntry = { position: 1, at: 1, type: 'timer_fired', command: 1, data: '{"early":true}' }
    expect([...replayTurns([fired], () => '{}')]).toMatchObject([{ delivery: { kind: 'timer', early: true } }])
  })
})
