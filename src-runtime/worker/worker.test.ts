import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { EffectCall, EffectOutcome, EffectPerformer } from '../effects/effect-performer.ts'
import type { Command, Delivery, TurnOutput } from '../engine/turn.ts'
import { StoreUnavailableError } from '../shared/store-errors.ts'
import type { ScriptedProgram } from './scripted-hosts.test-support.ts'
import { createRig, T0, type Rig } from './worker-rig.test-support.ts'

let rig: Rig
afterEach(() => rig.close())

const suspended = (...operations: TurnOutput['operations']): TurnOutput => ({
  operations,
  outcome: { kind: 'suspended' },
})
const completed = (result: unknown = 1): TurnOutput => ({
  operations: [],
  outcome: { kind: 'completed', data: JSON.stringify({ result }) },
})
const iso = (ms: number) => new Date(ms).toISOString()
const wait = (command: number, name: string, dueAt?: number): Command =>
  dueAt === undefined
    ? { kind: 'wait', command, name, data: '{}' }
    : { kind: 'wait', command, name, dueAt, data: JSON.stringify({ timeoutAt: iso(dueAt) }) }
const timer = (command: number, dueAt: number): Command => ({
  kind: 'timer',
  command,
  dueAt,
  data: JSON.stringify({ wakeAt: iso(dueAt) }),
})
const effect = (command: number): Command => ({
  kind: 'effect',
  command,
  name: 'charge',
  options: {},
  data: '{"input":5}',
})

/** A Program from one answer per turn. */
const script =
  (...turns: ((delivery: Delivery) => TurnOutput)[]): (() => ScriptedProgram) =>
  () => {
    let turn = 0
    return (delivery) => turns[turn++]!(delivery)
  }

describe('a start', () => {
  it('runs to its end, with its journal', async () => {
    rig = await createRig(script(() => completed('hi')))
    const key = await rig.startUntil('completed')
    expect(rig.types(key)).toEqual(['execution_started', 'execution_completed'])
    expect(rig.head(key)).toMatchObject({ startedAt: T0, finishedAt: T0, turns: 1 })
    expect(rig.changes.map(({ status }) => status)).toEqual(['queued', 'completed'])
  })

  it('runs later if more Executions start than may run at once', async () => {
    rig = await createRig(script(() => completed()))
    rig.hosts.hold()
    const keys = await Promise.all(Array.from({ length: 600 }, () => rig.start()))
    expect(rig.hosts.activations.length).toBeLessThanOrEqual(512)
    rig.hosts.resume()
    for (const key of keys) await rig.until(key, 'completed')
  })

  it('has the status running if its turn takes long', async () => {
    rig = await createRig(script(() => completed()))
    rig.hosts.hold()
    const key = await rig.start()
    rig.clock.advance(300)
    await rig.until(key, 'running')
    expect(rig.head(key).startedAt).toBe(T0)
    rig.hosts.resume()
    await rig.until(key, 'completed')
  })
})

describe('a waiting Execution', () => {
  it('continues with its event, and is running in between', async () => {
    rig = await createRig(
      script(
        () => suspended(wait(1, 'approved')),
        (delivery) => completed(delivery.kind === 'event' ? delivery.data : 'no'),
      ),
    )
    const key = await rig.startUntil('waiting')
    expect(rig.record(key).waitingFor).toMatchObject([{ kind: 'event', command: 1, name: 'approved', since: T0 }])
    expect(await rig.send(key, 'approved', '{"by":"me"}')).toEqual({ kind: 'received', receivedAt: T0 })
    await rig.until(key, 'completed')
    expect(rig.changes.map(({ status }) => status)).toEqual(['queued', 'waiting', 'running', 'completed'])
    expect(rig.types(key)).toEqual([
      'execution_started',
      'wait_scheduled',
      'event_received',
      'event_delivered',
      'execution_completed',
    ])
    expect(rig.journal(key)[3]).toMatchObject({ source: 3, command: 1 })
  })

  it('keeps an event until the Program waits for it', async () => {
    rig = await createRig(
      script(
        () => suspended(wait(1, 'first')),
        () => suspended(wait(2, 'second')),
        () => completed(),
      ),
    )
    const key = await rig.startUntil('waiting')
    await rig.send(key, 'second')
    expect(rig.head(key)).toMatchObject({ status: 'waiting', buffered: 1 })
    await rig.send(key, 'first')
    await rig.until(key, 'completed')
  })

  it('reads events that it does not wait for once, not with each event that it gets', async () => {
    const ticks = 50
    rig = await createRig(
      script(...Array.from({ length: ticks }, (_, index) => () => suspended(wait(index + 1, 'tick'))), () =>
        completed(),
      ),
    )
    const key = await rig.startUntil('waiting')
    await Promise.all(Array.from({ length: 1_000 }, () => rig.send(key, 'other')))
    rig.restart()
    const load = vi.spyOn(rig.store.executions, 'load')
    for (let sent = 1; sent <= ticks; sent += 1) {
      await rig.send(key, 'tick')
      await rig.until(key, sent === ticks ? 'completed' : 'waiting')
    }
    expect(load).toHaveBeenCalledTimes(1)
  })

  it('stays in memory for an event that shares a transaction with one that fills the room of those that wait', async () => {
    rig = await createRig(
      script(
        () => suspended(wait(1, 'a')),
        () => suspended(wait(2, 'b')),
        () => completed(),
      ),
    )
    const keys = await Promise.all(Array.from({ length: 7 }, () => rig.start()))
    for (const key of keys) await rig.until(key, 'waiting')
    const [longestIdle, ...others] = keys as [number, ...number[]]
    const send = (index: number) => rig.send(others[index % others.length]!, 'other')
    await Promise.all(Array.from({ length: 50_000 }, (_, index) => send(index)))
    const load = vi.spyOn(rig.store.executions, 'load')
    await Promise.all([send(0), rig.send(longestIdle, 'a')])
    await rig.until(longestIdle, 'waiting')
    await rig.send(longestIdle, 'b')
    await rig.until(longestIdle, 'completed')
    expect(load).not.toHaveBeenCalled()
  })

  it('refuses events when it has ended, and when its buffer is full', async () => {
    rig = await createRig(
      script(
        () => suspended(wait(1, 'a')),
        () => completed(),
      ),
    )
    const key = await rig.startUntil('waiting')
    await Promise.all(Array.from({ length: 10_000 }, () => rig.send(key, 'other')))
    expect(await rig.send(key, 'other')).toEqual({ kind: 'buffer_full' })
    expect(rig.head(key).buffered).toBe(10_000)
    await rig.worker().cancel(key)
    await rig.until(key, 'cancelled')
    expect(await rig.send(key, 'a')).toEqual({ kind: 'finished', status: 'cancelled' })
  })

  it('accepts events up to 64 MiB, and more after some were delivered', async () => {
    rig = await createRig(
      script(
        () => suspended(wait(1, 'go')),
        () => suspended(wait(2, 'large')),
        () => suspended(wait(3, 'never')),
      ),
    )
    const key = await rig.startUntil('waiting')
    const megabyte = JSON.stringify('x'.repeat(1024 * 1024 - 100))
    for (let count = 0; count < 64; count++) {
      expect(await rig.send(key, 'large', megabyte)).toMatchObject({ kind: 'received' })
    }
    expect(await rig.send(key, 'large', megabyte)).toEqual({ kind: 'buffer_full' })
    await rig.send(key, 'go')
    await vi.waitFor(() => expect(rig.head(key).turns).toBe(3))
    expect(rig.head(key).buffered).toBe(63)
    expect(await rig.send(key, 'large', megabyte)).toMatchObject({ kind: 'received' })
  })

  it('wakes at each timer', async () => {
    rig = await createRig(
      script(
        () => suspended(timer(1, T0 + 1_000), timer(2, T0 + 2_000)),
        () => suspended(),
        () => completed(),
      ),
    )
    const key = await rig.startUntil('waiting')
    rig.clock.advance(999)
    expect(rig.head(key).turns).toBe(1)
    rig.clock.advance(1)
    await vi.waitFor(() => expect(rig.head(key).turns).toBe(2))
    rig.clock.advance(1_000)
    await rig.until(key, 'completed')
    expect(
      rig
        .journal(key)
        .filter(({ type }) => type === 'timer_fired')
        .map(({ at }) => at - T0),
    ).toEqual([1_000, 2_000])
  })

  it('wakes after the machine slept through its timer', async () => {
    rig = await createRig(
      script(
        () => suspended(timer(1, T0 + 60_000)),
        () => completed(),
      ),
    )
    const key = await rig.startUntil('waiting')
    rig.clock.jump(T0 + 7_200_000)
    rig.worker().resume()
    await rig.until(key, 'completed')
    expect(rig.types(key)).toContain('timer_fired')
  })

  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('wakes at a new timer after the clock jumped %s, although an older timer is set', async (_, jump) => {
    rig = await createRig(
      script(
        () => suspended(timer(1, rig.clock.now() + 300)),
        () => completed(),
      ),
    )
    const old = await rig.start()
    await rig.until(old, 'waiting')
    rig.clock.jump(T0 + jump)
    const key = await rig.startUntil('waiting')
    rig.clock.advance(300)
    await rig.until(key, 'completed')
    expect(rig.journal(key).at(-1)?.at).toBe(T0 + jump + 300)
  })

  it('wakes within a second when the clock jumps past its timer, without a notification of the system', async () => {
    rig = await createRig(
      script(
        () => suspended(timer(1, T0 + 3_600_000)),
        () => completed(),
      ),
    )
    const key = await rig.startUntil('waiting')
    rig.clock.advance(10_000)
    rig.clock.jump(T0 + 3_600_000)
    rig.clock.advance(1_000)
    await rig.until(key, 'completed')
    expect(rig.types(key)).toContain('timer_fired')
  })

  it('sets no system timer if nothing is due', async () => {
    rig = await createRig(script(() => suspended(wait(1, 'a'))))
    await rig.startUntil('waiting')
    rig.clock.advance(60_000)
    expect(rig.clock.pending()).toBe(0)
  })

  it('finds timers again after the clock was set back', async () => {
    rig = await createRig(
      script(
        () => suspended(timer(1, rig.clock.now() + 60_000)),
        () => completed(),
      ),
    )
    rig.clock.jump(T0 + 3_600_000)
    rig.worker().resume()
    rig.clock.jump(T0)
    const key = await rig.startUntil('waiting')
    rig.clock.advance(60_000)
    await rig.until(key, 'completed')
    expect(rig.journal(key).at(-1)?.at).toBe(T0 + 60_000)
  })

  it('times out if its timeout falls between its write and the commit, without repeated timers', async () => {
    rig = await createRig(
      script(
        () => suspended(wait(1, 'a', T0 + 50)),
        (delivery) => completed(delivery.kind),
      ),
    )
    const { after } = rig.clock
    const timers = vi.spyOn(rig.clock, 'after').mockImplementation((ms, callback) => {
      if (timers.mock.calls.length > 100) throw new Error('timers are set for ever')
      return after(ms, callback)
    })
    rig.trouble.failsCommit = () => {
      rig.clock.advance(100)
      return false
    }
    const key = await rig.startUntil('completed')
    expect(rig.types(key)).toContain('wait_timed_out')
    expect(timers.mock.calls.length).toBeLessThan(20)
  })

  it('times out, unless its event was accepted before', async () => {
    rig = await createRig(
      script(
        () => suspended(wait(1, 'a', T0 + 50)),
        (delivery) => completed(delivery.kind),
      ),
    )
    const late = await rig.start()
    const inTime = await rig.start()
    await rig.until(late, 'waiting')
    await rig.until(inTime, 'waiting')
    rig.clock.jump(T0 + 49)
    await rig.send(inTime, 'a')
    rig.clock.jump(T0 + 50)
    await rig.send(late, 'a')
    await rig.until(late, 'completed')
    await rig.until(inTime, 'completed')
    expect(rig.types(late)).toContain('wait_timed_out')
    expect(rig.types(inTime)).toContain('event_delivered')
  })
})

describe('an event that arrives during a turn', () => {
  const lateWait = script(
    () => suspended(wait(1, 'a', T0 + 50)),
    (delivery) => completed(delivery.kind),
  )

  it.each([
    ['the turn took longer than the timeout of its wait', T0 + 1_000, T0 + 2_000],
    ['the clock was set back before the wait began', T0 + 3_600_000, T0 + 60],
  ])('matches that wait although %s', async (_, receivedAt, afterwards) => {
    rig = await createRig(lateWait)
    rig.hosts.hold()
    const key = await rig.start()
    rig.clock.jump(receivedAt)
    await rig.send(key, 'a')
    rig.clock.jump(afterwards)
    rig.hosts.resume()
    await rig.until(key, 'completed')
    expect(rig.types(key)).toEqual([
      'execution_started',
      'event_received',
      'wait_scheduled',
      'event_delivered',
      'execution_completed',
    ])
  })

  it('matches it also after a restart', async () => {
    rig = await createRig(lateWait)
    rig.hosts.hold()
    const key = await rig.start()
    rig.clock.jump(T0 + 1_000)
    await rig.send(key, 'a')
    rig.clock.jump(T0)
    rig.trouble.failsCommit = () => rig.types(key).includes('wait_scheduled')
    rig.hosts.resume()
    await vi.waitFor(() => expect(rig.hosts.activations).toHaveLength(1))
    rig.trouble.failsCommit = () => false
    rig.restart()
    await rig.until(key, 'completed')
    expect(rig.types(key)).toContain('event_delivered')
  })
})

describe('stored data of an Execution', () => {
  const twoTurns = script(
    () => suspended(wait(1, 'a')),
    () => completed(),
  )
  const damage = async (sql: string) => {
    rig = await createRig(twoTurns)
    const [key, other] = [await rig.start(), await rig.start()]
    await rig.until(key, 'waiting')
    await rig.until(other, 'waiting')
    await rig.worker().stop()
    rig.db.prepare(sql).run(key)
    rig.restart()
    await rig.send(key, 'a')
    await rig.send(other, 'a')
    await rig.until(other, 'completed')
    await rig.until(key, 'failed')
    return rig.record(key).error
  }

  it.each([
    [
      'its start',
      'DELETE FROM journal WHERE execution = ? AND position = 1',
      'entry 1 of the history (execution_started) is missing',
    ],
    [
      'a command',
      'DELETE FROM journal WHERE execution = ? AND position = 2',
      'the entry of the history that schedules command 1 is missing',
    ],
    [
      'the data of a command',
      `UPDATE journal SET data = '{"timeou' WHERE execution = ? AND position = 2`,
      'entry 2 of the history (wait_scheduled) cannot be read',
    ],
    [
      'the name of what it waits for',
      'UPDATE pending SET name = NULL, due_at = 1 WHERE execution = ?',
      'the name of open command 1 is missing',
    ],
  ])('fails only its Execution, with a message, if %s is damaged', async (_, sql, message) => {
    expect(await damage(sql)).toMatchObject({ code: 'history_damaged', message: expect.stringContaining(message) })
  })

  it('fails its Execution without running the effect if the input of an effect is missing', async () => {
    let calls = 0
    const effects: EffectPerformer = {
      defaultsOf: () => ({}),
      perform: () => Promise.reject(new Error(`call ${++calls}`)),
    }
    rig = await createRig(
      script(() => suspended({ ...effect(1), data: JSON.stringify({ input: 'x'.repeat(20_000) }) })),
      { effects },
    )
    rig.trouble.failsCommit = () => {
      rig.db.prepare('DELETE FROM journal WHERE position = 2').run()
      return false
    }
    const key = await rig.startUntil('failed')
    expect(rig.record(key).error?.message).toContain('schedules command 1 is missing')
    expect(calls).toBe(0)
  })

  it('fails its Execution if the payload of an event is missing', async () => {
    rig = await createRig(twoTurns)
    const key = await rig.startUntil('waiting')
    rig.hosts.hold()
    await rig.send(key, 'a')
    await rig.worker().stop()
    rig.db.prepare('DELETE FROM journal WHERE execution = ? AND position = 3').run(key)
    rig.hosts.resume()
    rig.restart()
    await rig.until(key, 'failed')
    expect(rig.record(key).error).toMatchObject({
      code: 'history_damaged',
      message: expect.stringContaining('entry 3'),
    })
  })
})

describe('a cancel', () => {
  const cleaningUp = script(
    () => suspended(wait(1, 'a')),
    () => suspended(wait(2, 'undone')),
    () => completed('ignored'),
  )

  it('ends a queued Execution without running its code', async () => {
    rig = await createRig(script(() => completed()))
    rig.hosts.hold()
    const key = await rig.start()
    expect(await rig.worker().cancel(key)).toEqual({ kind: 'accepted', status: 'cancelled' })
    rig.hosts.resume()
    expect(await rig.worker().cancel(key)).toEqual({ kind: 'accepted', status: 'cancelled' })
    expect(rig.types(key)).toEqual(['execution_started', 'cancel_requested', 'execution_cancelled'])
  })

  it('lets the Program clean up, and ends it whatever it returned', async () => {
    rig = await createRig(cleaningUp)
    const key = await rig.startUntil('waiting')
    expect(await rig.worker().cancel(key)).toEqual({ kind: 'accepted', status: 'cancelling' })
    await vi.waitFor(() => expect(rig.head(key).cancelDelivered).toBe(true))
    expect(await rig.worker().cancel(key)).toEqual({ kind: 'accepted', status: 'cancelling' })
    expect(await rig.send(key, 'undone')).toMatchObject({ kind: 'received' })
    await rig.until(key, 'cancelled')
    expect(rig.record(key).error).toBeUndefined()
    expect(rig.types(key).slice(2)).toEqual([
      'cancel_requested',
      'wait_scheduled',
      'event_received',
      'event_delivered',
      'execution_cancelled',
    ])
  })

  it('is cleaned up without being read for each event that nothing waits for', async () => {
    rig = await createRig(cleaningUp)
    const key = await rig.startUntil('waiting')
    await rig.worker().cancel(key)
    await vi.waitFor(() => expect(rig.head(key).cancelDelivered).toBe(true))
    rig.restart()
    await rig.send(key, 'other')
    const load = vi.spyOn(rig.store.executions, 'load')
    for (let sent = 0; sent < 20; sent += 1) await rig.send(key, 'other')
    expect(load).not.toHaveBeenCalled()
    await rig.send(key, 'undone')
    await rig.until(key, 'cancelled')
  })

  it('ends the Execution at once if nothing can wake the Program', async () => {
    rig = await createRig(
      script(
        () => suspended(wait(1, 'a')),
        () => suspended(),
      ),
    )
    const key = await rig.startUntil('waiting')
    await rig.worker().cancel(key)
    await rig.until(key, 'cancelled')
    expect(rig.clock.now()).toBe(T0)
    expect(rig.types(key).slice(2)).toEqual(['cancel_requested', 'execution_cancelled'])
  })

  it('ends the clean-up after the grace period, and starts a new one after a restart', async () => {
    rig = await createRig(
      script(
        () => suspended(wait(1, 'a')),
        () => suspended(wait(2, 'never')),
      ),
    )
    const key = await rig.startUntil('waiting')
    await rig.worker().cancel(key)
    await vi.waitFor(() => expect(rig.head(key).cancelDelivered).toBe(true))
    rig.clock.advance(29_999)
    rig.restart()
    rig.clock.advance(29_999)
    expect(rig.head(key).status).toBe('cancelling')
    rig.clock.advance(1)
    await rig.until(key, 'cancelled')
  })

  it('ends the clean-up as soon as the store can write its end', async () => {
    rig = await createRig(
      script(
        () => suspended(wait(1, 'a')),
        () => suspended(wait(2, 'never')),
      ),
    )
    const key = await rig.startUntil('waiting')
    await rig.worker().cancel(key)
    await vi.waitFor(() => expect(rig.head(key).cancelDelivered).toBe(true))
    rig.trouble.failsCommit = () => true
    rig.clock.advance(30_000)
    await vi.waitFor(() => expect(rig.logged).not.toEqual([]))
    rig.trouble.failsCommit = () => false
    rig.clock.advance(1_000)
    await rig.until(key, 'cancelled')
  })

  it('is refused if the Execution has completed', async () => {
    rig = await createRig(script(() => completed()))
    const key = await rig.startUntil('completed')
    expect(await rig.worker().cancel(key)).toEqual({ kind: 'finished', status: 'completed' })
  })
})

describe('memory', () => {
  const twoWaits = script(
    () => suspended(wait(1, 'a')),
    () => suspended(wait(2, 'b')),
    (delivery) => completed(delivery.kind),
  )

  it('may lose images at any time, because the journal is replayed', async () => {
    rig = await createRig(twoWaits)
    const key = await rig.startUntil('waiting')
    await rig.send(key, 'a')
    await vi.waitFor(() => expect(rig.head(key).turns).toBe(2))
    rig.hosts.loseImages()
    await rig.send(key, 'b')
    await rig.until(key, 'completed')
    expect(rig.hosts.activations.at(-1)?.turns.map(({ expected }) => expected?.length)).toEqual([1, 1, undefined])
  })

  it('survives a restart, with earlier events', async () => {
    rig = await createRig(twoWaits)
    const key = await rig.startUntil('waiting')
    await rig.send(key, 'b')
    rig.restart()
    await rig.send(key, 'a')
    await rig.until(key, 'completed')
    expect(rig.head(key).turns).toBe(3)
  })

  it('recovers in parts after a restart, and serves callers in between', async () => {
    rig = await createRig(script(() => completed()))
    rig.hosts.hold()
    const keys = await Promise.all(Array.from({ length: 450 }, () => rig.start()))
    await rig.worker().stop()
    const before = rig.hosts.activations.length
    rig.restart()
    expect(rig.hosts.activations.length - before).toBe(128)
    rig.clock.advance(0)
    rig.hosts.resume()
    for (const key of keys) await rig.until(key, 'completed')
  })

  it('recovers queued and due Executions after a restart', async () => {
    rig = await createRig(
      script(
        () => suspended(timer(1, T0 + 10)),
        () => completed(),
      ),
    )
    const due = await rig.start()
    await rig.until(due, 'waiting')
    rig.hosts.hold()
    const queued = await rig.start()
    rig.clock.jump(T0 + 20)
    rig.restart()
    rig.hosts.resume()
    await rig.until(due, 'completed')
    rig.clock.advance(20)
    await rig.until(queued, 'completed')
    expect([rig.head(due).turns, rig.head(queued).turns]).toEqual([2, 2])
  })

  it('fails an Execution whose Program makes another command on replay, and shows both', async () => {
    let firstTime = true
    rig = await createRig(() => {
      const name = firstTime ? 'a' : 'other'
      firstTime = false
      return (delivery) =>
        delivery.kind === 'start' ? suspended(wait(1, name, T0 + (name === 'a' ? 5 : 6))) : completed()
    })
    const key = await rig.startUntil('waiting')
    rig.hosts.loseImages()
    await rig.send(key, 'a')
    await rig.until(key, 'failed')
    expect(rig.record(key).error).toMatchObject({
      code: 'nondeterminism',
      message: expect.stringMatching(/holds wait for event "a".*asks for wait for event "other"/),
    })
  })
})

describe('a failing store', () => {
  it('loses no turn: the turn runs again when the store can write', async () => {
    rig = await createRig(
      script(
        () => suspended(timer(1, T0)),
        () => completed(),
      ),
    )
    rig.hosts.hold()
    const key = await rig.start()
    let failed = 0
    rig.trouble.failsCommit = () => ++failed <= 2
    rig.hosts.resume()
    // A look at what is due may try once more at once.
    await vi.waitFor(() => expect(failed).toBeGreaterThan(0))
    expect(rig.types(key)).toEqual(['execution_started'])
    await vi.waitFor(() => {
      rig.clock.advance(1_000)
      expect(rig.head(key).status).toBe('completed')
    })
    expect(rig.types(key)).toEqual(['execution_started', 'timer_scheduled', 'timer_fired', 'execution_completed'])
  })

  it('delays a timer whose Execution cannot be read, and loses none', async () => {
    rig = await createRig(
      script(
        () => suspended(timer(1, T0 + 10_000)),
        () => completed(),
      ),
    )
    const key = await rig.startUntil('waiting')
    rig.restart()
    const { load } = rig.store.executions
    let reads = 0
    vi.spyOn(rig.store.executions, 'load').mockImplementation((...args) => {
      reads += 1
      if (reads <= 2) throw new Error('the disk does not answer')
      return load(...args)
    })
    rig.clock.advance(10_000)
    expect([reads, rig.head(key).status]).toEqual([1, 'waiting'])
    await vi.waitFor(() => {
      rig.clock.advance(1_000)
      expect(rig.head(key).status).toBe('completed')
    })
  })

  it('is logged with the reason, without a stack, and again only for debugging', async () => {
    rig = await createRig(
      script(
        () => suspended(timer(1, T0 + 1_000)),
        () => completed(),
      ),
    )
    const key = await rig.startUntil('waiting')
    let fails = true
    rig.trouble.failsCommit = () => fails
    rig.clock.advance(1_000)
    await vi.waitFor(() => {
      rig.clock.advance(1_000)
      expect(rig.logged.length).toBeGreaterThan(2)
    })
    fails = false
    const lines = rig.logged.map((line) => JSON.parse(line) as { level: number })
    expect(lines[0]).toMatchObject({ executionId: rig.head(key).id, reason: expect.any(String) as string })
    const { values } = pino.levels
    expect(lines.slice(0, 3).map(({ level }) => level)).toEqual([values.warn, values.debug, values.debug])
    expect(rig.logged.join('')).not.toContain('    at ')
  })

  it('drops a start that ran ahead of a failed commit', async () => {
    rig = await createRig(script(() => completed()))
    rig.trouble.failsCommit = () => true
    await expect(rig.start()).rejects.toThrow(StoreUnavailableError)
    expect(rig.hosts.activations).toHaveLength(1) // it did run ahead
    rig.trouble.failsCommit = () => false
    const key = await rig.startUntil('completed')
    expect(rig.hosts.activations.map(({ executionId }) => executionId)).toContain(rig.head(key).id)
    expect((await rig.store.overview.list({ projectId: 'default', limit: 10 })).items).toHaveLength(1)
    expect(rig.changes.map(({ key: changed }) => changed)).toEqual([key, key])
  })

  it('drops an event that ran ahead of a failed commit, and accepts it when it is sent again', async () => {
    const seen: string[] = []
    rig = await createRig(
      script(
        () => suspended(wait(1, 'go')),
        (delivery) => {
          if ('data' in delivery) seen.push(delivery.data)
          return completed()
        },
      ),
    )
    const key = await rig.startUntil('waiting')
    rig.trouble.failsCommit = () => true
    await expect(rig.send(key, 'go', '"lost"')).rejects.toThrow(StoreUnavailableError)
    await vi.waitFor(() => expect(seen).toHaveLength(1)) // it did run ahead
    rig.trouble.failsCommit = () => false
    const { id } = rig.head(key)
    expect(rig.head(key)).toMatchObject({ status: 'waiting', buffered: 0, turns: 1 })
    await vi.waitFor(() => expect(rig.hosts.forgotten).toContain(id))
    await expect(rig.send(key, 'go', '"kept"')).resolves.toMatchObject({ kind: 'received' })
    await vi.waitFor(() => {
      rig.clock.advance(1_000)
      expect(rig.head(key).status).toBe('completed')
    })
    expect(rig.types(key)).toEqual([
      'execution_started',
      'wait_scheduled',
      'event_received',
      'event_delivered',
      'execution_completed',
    ])
    expect(rig.journal(key).find(({ type }) => type === 'event_received')?.data).toContain('kept')
  })

  it('does not show a long turn that ran ahead of a failed commit as running', async () => {
    rig = await createRig(script(() => suspended(wait(1, 'go')), completed))
    const key = await rig.startUntil('waiting')
    rig.hosts.hold()
    rig.trouble.failsCommit = () => true
    await expect(rig.send(key, 'go')).rejects.toThrow(StoreUnavailableError)
    rig.trouble.failsCommit = () => false
    rig.clock.advance(100)
    await rig.store.projects.create({ id: 'later', name: 'later', createdAt: T0 }) // what was written before is stored
    expect(rig.head(key).status).toBe('waiting')
    rig.hosts.resume()
  })
})

describe('an effect', () => {
  const performer = (perform: (call: EffectCall) => Promise<EffectOutcome> | EffectOutcome) => {
    const calls: EffectCall[] = []
    const effects: EffectPerformer = {
      defaultsOf: () => ({ retry: { maxAttempts: 3 } }),
      perform: async (call) => {
        calls.push(call)
        return perform(call)
      },
    }
    return { calls, effects }
  }
  const failure = (retryable: boolean): EffectOutcome => ({
    kind: 'failed',
    retryable,
    error: { code: 'effect_failed', message: 'declined' },
  })
  const charge = script(
    () => suspended(effect(1)),
    (delivery) => completed(delivery.kind),
  )

  it('lets others take their turn while thousands of one Execution begin', async () => {
    let begun = 0
    const begunAtOnce: number[] = []
    const { calls, effects } = performer(() => {
      begun += 1
      if (begun === 1) setImmediate(() => begunAtOnce.push(begun) && (begun = 0))
      return new Promise(() => undefined)
    })
    const commands = Array.from({ length: 5_000 }, (_, index) => effect(index + 1))
    rig = await createRig(
      script(() => suspended(...commands)),
      { effects },
    )
    await rig.start()
    await vi.waitFor(() => expect(calls.length).toBe(5_000))
    await new Promise(setImmediate)
    expect(begunAtOnce).toEqual(Array.from({ length: 25 }, () => 200))
  })

  it('runs once it is durable, and its result is delivered', async () => {
    let seen: readonly string[] = []
    const { calls, effects } = performer((call) => {
      seen = rig.types(rig.store.executions.keyOf(call.executionId)!)
      call.onLog({ level: 'info', message: 'charging' })
      return { kind: 'completed', data: '{"result":"ok"}' }
    })
    rig = await createRig(charge, { effects })
    const key = await rig.startUntil('completed')
    expect(seen).toEqual(['execution_started', 'effect_scheduled'])
    expect(calls).toMatchObject([{ name: 'charge', attempt: 1, data: '{"input":5}', timeoutMs: 300_000 }])
    expect(calls[0]!.idempotencyKey).toBe(`${rig.head(key).id}/1`)
    expect(rig.types(key)).toContain('effect_completed')
    expect(rig.journal(key).find(({ type }) => type === 'log')?.data).toBe('{"level":"info","message":"charging"}')
  })

  it('has all of its log in the history before its outcome', async () => {
    const calls: EffectCall[] = []
    const { effects } = performer(async (call) => {
      calls.push(call)
      for (let line = 0; line < 3; line += 1) {
        call.onLog({ level: 'info', message: `${line}` })
        call.onLog({ level: 'warn', message: `${line}` })
        await Promise.resolve()
      }
      return { kind: 'completed', data: '{"result":"ok"}' }
    })
    rig = await createRig(charge, { effects })
    const keys = await Promise.all(Array.from({ length: 20 }, () => rig.start()))
    for (const key of keys) {
      await rig.until(key, 'completed')
      expect(rig.types(key)).toEqual([
        'execution_started',
        'effect_scheduled',
        ...Array.from({ length: 6 }, () => 'log'),
        'effect_completed',
        'execution_completed',
      ])
    }
    const write = vi.spyOn(rig.store.executions, 'change')
    for (const { onLog } of calls) onLog({ level: 'info', message: 'too late' })
    expect(write).not.toHaveBeenCalled()
  })

  it('gets a small input without a read when it is new, and reads it for another attempt', async () => {
    const { calls, effects } = performer(({ attempt }) =>
      attempt === 1 ? failure(true) : { kind: 'completed', data: '{}' },
    )
    rig = await createRig(
      script(
        () => suspended(effect(1)),
        () => completed(1),
      ),
      { effects },
    )
    const scheduled = vi.spyOn(rig.store.journal, 'scheduled')
    const key = await rig.start()
    await vi.waitFor(() => expect(rig.types(key)).toContain('effect_attempt_failed'))
    expect(scheduled).not.toHaveBeenCalled()
    await vi.waitFor(() => {
      rig.clock.advance(60_000)
      expect(rig.head(key).status).toBe('completed')
    })
    expect(calls.map(({ data }) => data)).toEqual(['{"input":5}', '{"input":5}'])
    expect(scheduled).toHaveBeenCalledOnce()
  })

  it('spends no attempt if its large input cannot be read for a moment', async () => {
    const { calls, effects } = performer(({ data }) => {
      try {
        const input = typeof data === 'string' ? data : data()
        return { kind: 'completed', data: JSON.stringify({ result: input.length }) }
      } catch {
        return failure(true)
      }
    })
    const data = JSON.stringify({ input: 'x'.repeat(20_000) })
    rig = await createRig(
      script(
        () => suspended({ ...effect(1), data }),
        (delivery) => completed(delivery.kind),
      ),
      { effects },
    )
    const { scheduled } = rig.store.journal
    let reads = 0
    vi.spyOn(rig.store.journal, 'scheduled').mockImplementation((...args) => {
      if ((reads += 1) === 2) throw new Error('the disk failed')
      return scheduled(...args)
    })
    const key = await rig.start()
    await vi.waitFor(() => expect(calls).toHaveLength(1))
    await vi.waitFor(() => {
      rig.clock.advance(1_000)
      expect(rig.head(key).status).toBe('completed')
    })
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 1])
    expect(rig.types(key)).not.toContain('effect_attempt_failed')
  })

  it('is performed again, as the same attempt, after a fault of what performs it', async () => {
    const attempts: number[] = []
    const effects: EffectPerformer = {
      defaultsOf: () => ({}),
      perform: async ({ attempt }) => {
        attempts.push(attempt)
        if (attempts.length === 1) throw new Error('no process could be started')
        return { kind: 'completed', data: '{"result":1}' }
      },
    }
    rig = await createRig(
      script(
        () => suspended(effect(1)),
        (delivery) => completed(delivery.kind),
      ),
      { effects },
    )
    const key = await rig.start()
    await vi.waitFor(() => {
      rig.clock.advance(1_000)
      expect(rig.head(key).status).toBe('completed')
    })
    expect(attempts).toEqual([1, 1])
    expect(rig.types(key)).not.toContain('effect_attempt_failed')
  })

  it('is retried by its policy with the same key, and finally fails', async () => {
    const { calls, effects } = performer(() => failure(true))
    rig = await createRig(charge, { effects })
    const key = await rig.start()
    await vi.waitFor(() => {
      rig.clock.advance(250)
      expect(rig.head(key).status).toBe('completed')
    })
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
    expect(rig.types(key).slice(2)).toEqual([
      'effect_attempt_failed',
      'effect_attempt_failed',
      'effect_failed',
      'execution_completed',
    ])
  })

  it('runs again as the same attempt if the runtime crashed before its outcome was stored', async () => {
    let answer = (_outcome: EffectOutcome) => {}
    const { calls, effects } = performer(() => new Promise((resolve) => (answer = resolve)))
    rig = await createRig(charge, { effects })
    const key = await rig.start()
    await vi.waitFor(() => expect(calls).toHaveLength(1))
    rig.restart()
    await vi.waitFor(() => expect(calls).toHaveLength(2))
    answer({ kind: 'completed', data: '{}' })
    await rig.until(key, 'completed')
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 1])
    expect(calls[0]!.signal.aborted).toBe(true)
  })

  it('is aborted by a cancel, and its late result is ignored', async () => {
    let answer = (_outcome: EffectOutcome) => {}
    const { calls, effects } = performer(() => new Promise((resolve) => (answer = resolve)))
    rig = await createRig(
      script(
        () => suspended(effect(1)),
        () => suspended(wait(2, 'undone')),
      ),
      { effects },
    )
    const key = await rig.start()
    await vi.waitFor(() => expect(calls).toHaveLength(1))
    await rig.worker().cancel(key)
    await vi.waitFor(() => expect(calls[0]!.signal.aborted).toBe(true))
    answer({ kind: 'completed', data: '{}' })
    expect(rig.types(key)).not.toContain('effect_completed')
    rig.clock.advance(30_000)
    await rig.until(key, 'cancelled')
  })

  it('says where effects run if the artifact has none', async () => {
    rig = await createRig(charge)
    const key = await rig.startUntil('completed')
    expect(rig.journal(key).find(({ type }) => type === 'effect_failed')?.data).toContain('wes dev')
  })
})
