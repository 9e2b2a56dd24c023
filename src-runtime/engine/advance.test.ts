import { describe, expect, it } from 'vitest'
import { advance, settleTurns } from './advance.ts'
import type { ExecutionHead, OpenCommand } from './execution-state.ts'
import { addBuffered, beginLive, resumeLive } from './live-execution.ts'
import { bufferedEvent, newHead, START_DATA } from './simulation.test-support.ts'
import type { Command, Delivery, Operation, TurnOutcome, TurnOutput } from './turn.ts'

const time = { begunAt: 1_100, endedAt: 1_105 }
const noDefaults = () => ({})

const output = (operations: readonly Operation[] = [], outcome: TurnOutcome = { kind: 'suspended' }): TurnOutput => ({
  operations,
  outcome,
})
const log: Operation = { kind: 'log', data: '{"level":"info","message":"hi"}' }
const timer = (command: number): Command => ({ kind: 'timer', command, dueAt: 2_000, data: '{"wakeAt":"then"}' })
const failed: TurnOutcome = {
  kind: 'failed',
  error: { code: 'program_error', name: 'TypeError', message: 'no', stack: 'at run' },
}
const completed: TurnOutcome = { kind: 'completed', data: '{"result":1}' }

const firstTurn = (one: TurnOutput) => {
  const live = beginLive(newHead(), START_DATA)
  const start: Delivery = { kind: 'start', at: 1_000, data: START_DATA }
  return { live, turns: advance(live, [start], [one], noDefaults, time) }
}

const waitingHead = (rest: Partial<ExecutionHead> = {}) =>
  newHead({ status: 'waiting', turns: 1, lastCommand: 2, startedAt: 1_001, ...rest })

const open: readonly OpenCommand[] = [
  { kind: 'timer', command: 1, since: 1_000, dueAt: 1_050 },
  { kind: 'event', command: 2, name: 'a', since: 1_000 },
]

describe('advance', () => {
  it('writes the logs and commands of a first turn in call order', () => {
    const wait: Command = { kind: 'wait', command: 2, name: 'a', dueAt: 3_000, data: '{"timeoutAt":"then"}' }
    const plainWait: Command = { kind: 'wait', command: 3, name: 'b', data: '{}' }
    const { live, turns } = firstTurn(output([timer(1), log, wait, plainWait]))
    expect(turns.change).toEqual({
      entries: [
        { at: 1_000, type: 'timer_scheduled', command: 1, data: '{"wakeAt":"then"}' },
        { at: 1_000, type: 'log', data: log.data },
        { at: 1_000, type: 'wait_scheduled', command: 2, name: 'a', data: '{"timeoutAt":"then"}' },
        { at: 1_000, type: 'wait_scheduled', command: 3, name: 'b', data: '{}' },
      ],
      opened: [
        { kind: 'timer', command: 1, since: 1_000, dueAt: 2_000 },
        { kind: 'event', command: 2, name: 'a', since: 1_000, dueAt: 3_000 },
        { kind: 'event', command: 3, name: 'b', since: 1_000 },
      ],
      closed: [],
      consumed: [],
      turns: 1,
      lastCommand: 3,
    })
    expect(live.startData).toBe('{}')
  })

  it('writes the label of the first turn', () => {
    expect(firstTurn({ ...output(), label: 'Order A-1' }).turns.change).toMatchObject({ label: 'Order A-1' })
  })

  it('merges the options of an effect call over those of the manifest', () => {
    const live = beginLive(newHead(), START_DATA)
    const command: Command = {
      kind: 'effect',
      command: 1,
      name: 'charge',
      options: { retry: { maxAttempts: 2 } },
      data: '{"input":1}',
    }
    const defaults = () => ({ timeoutMs: 9, retry: { maxAttempts: 5, initialIntervalMs: 7 } })
    const { change } = advance(live, [{ kind: 'start', at: 1, data: '{}' }], [output([command])], defaults, time)
    expect(change.opened).toEqual([
      {
        kind: 'effect',
        command: 1,
        name: 'charge',
        since: 1,
        attempt: 1,
        options: { timeoutMs: 9, retry: { maxAttempts: 2, initialIntervalMs: 7 } },
      },
    ])
    expect(change.entries).toEqual([
      { at: 1, type: 'effect_scheduled', command: 1, name: 'charge', data: '{"input":1}' },
    ])
  })

  it('journals every kind of delivery and closes its command', () => {
    const effects = [3, 4].map((command): OpenCommand => ({
      kind: 'effect',
      command,
      name: 'e',
      since: 1,
      attempt: 2,
      options: {},
    }))
    const timed: OpenCommand = { kind: 'event', command: 5, name: 'b', since: 1, dueAt: 1_050 }
    const live = resumeLive({ head: waitingHead(), open: [...open, ...effects, timed], buffered: [] }, '{}')
    addBuffered(live, bufferedEvent(9, 'a', 1_020))
    const deliveries: Delivery[] = [
      { kind: 'timer', at: 10, command: 1 },
      { kind: 'event', at: 10, command: 2, name: 'a', source: 9, eventId: 'evt_9', data: '{}' },
      { kind: 'effect_result', at: 10, command: 3, name: 'e', attempt: 2, data: '{"result":1}' },
      { kind: 'effect_failure', at: 10, command: 4, name: 'e', attempt: 2, data: '{"error":{}}' },
      { kind: 'wait_timeout', at: 10, command: 5, name: 'b' },
    ]
    const { change } = advance(
      live,
      deliveries,
      deliveries.map(() => output()),
      noDefaults,
      time,
    )
    expect(change.entries).toEqual([
      { at: 10, type: 'timer_fired', command: 1 },
      { at: 10, type: 'event_delivered', command: 2, name: 'a', source: 9, data: '{"id":"evt_9"}' },
      { at: 10, type: 'effect_completed', command: 3, name: 'e', attempt: 2, data: '{"result":1}' },
      { at: 10, type: 'effect_failed', command: 4, name: 'e', attempt: 2, data: '{"error":{}}' },
      { at: 10, type: 'wait_timed_out', command: 5, name: 'b' },
    ])
    expect(change).toMatchObject({ closed: [1, 2, 3, 4, 5], consumed: [9], turns: 6 })
    expect(live.open.size + live.buffered.size).toBe(0)
  })

  it('closes all commands with a cancel, except those of the clean-up', () => {
    const live = resumeLive({ head: waitingHead({ cancelRequestedAt: 1_050 }), open, buffered: [] }, '{}')
    const deliveries: Delivery[] = [
      { kind: 'timer', at: 1_100, command: 1 },
      { kind: 'cancel', at: 1_100 },
    ]
    const { change } = advance(live, deliveries, [output([timer(3)]), output([timer(4)])], noDefaults, time)
    expect(change).toMatchObject({ closed: 'all', cancelDelivered: true, turns: 3, lastCommand: 4 })
    expect(change.opened?.map(({ command }) => command)).toEqual([4])
    expect([...live.open.keys()]).toEqual([4])
  })

  it('writes no command to the store that was opened and closed in the same turns', () => {
    const live = resumeLive({ head: waitingHead(), open: [open[0]!], buffered: [] }, '{}')
    const deliveries: Delivery[] = [
      { kind: 'timer', at: 1_100, command: 1 },
      { kind: 'timer', at: 1_100, command: 3 },
    ]
    const { change } = advance(live, deliveries, [output([timer(3)]), output()], noDefaults, time)
    expect(change.opened).toEqual([])
    expect(change.closed).toEqual([1])
  })

  it('drops the deliveries after a turn that ended the Execution', () => {
    const live = resumeLive({ head: waitingHead(), open, buffered: [] }, '{}')
    const deliveries: Delivery[] = [
      { kind: 'timer', at: 1_100, command: 1 },
      { kind: 'wait_timeout', at: 1_100, command: 2, name: 'a' },
    ]
    const { change, ending } = advance(live, deliveries, [output([], completed)], noDefaults, time)
    expect(change.entries).toEqual([{ at: 1_100, type: 'timer_fired', command: 1 }])
    expect(ending).toEqual(completed)
    expect(live.ended).toBe(true)
  })
})

describe('settleTurns', () => {
  it('sets the Execution to waiting, and stores when its first turn began', () => {
    const { turns } = firstTurn(output([timer(1)]))
    expect(settleTurns(turns, newHead())).toMatchObject({ status: 'waiting', startedAt: 1_100, turns: 1 })
    expect(settleTurns(turns, newHead({ startedAt: 7 }))).toMatchObject({ startedAt: 7 })
  })

  it('keeps cancelling if a cancel was accepted meanwhile', () => {
    const { turns } = firstTurn(output([timer(1)]))
    const head = newHead({ status: 'cancelling', cancelRequestedAt: 1_101 })
    expect(settleTurns(turns, head)).toMatchObject({ status: 'cancelling' })
  })

  it('writes nothing if the Execution ended or advanced without these turns', () => {
    const { turns } = firstTurn(output())
    expect(settleTurns(turns, newHead({ status: 'cancelled' }))).toBeUndefined()
    expect(settleTurns(turns, newHead({ turns: 1 }))).toBeUndefined()
  })

  it('completes with the result as the last entry', () => {
    const { turns } = firstTurn(output([log], completed))
    const change = settleTurns(turns, newHead())
    expect(change).toMatchObject({ status: 'completed', finishedAt: 1_105 })
    expect(change?.entries?.at(-1)).toEqual({ at: 1_105, type: 'execution_completed', data: '{"result":1}' })
    expect(change?.error).toBeUndefined()
  })

  it('fails with the error in the journal and on the row', () => {
    const { turns } = firstTurn(output([], failed))
    const change = settleTurns(turns, newHead())
    const error = { code: 'program_error', name: 'TypeError', message: 'no', stack: 'at run' }
    expect(change).toMatchObject({ status: 'failed', error })
    expect(change?.entries?.at(-1)).toEqual({
      at: 1_105,
      type: 'execution_failed',
      data: JSON.stringify({ error: failed.error }),
    })
  })
})

describe('an end after a cancel', () => {
  const cancelling = { status: 'cancelling', cancelRequestedAt: 1_050 } as const
  const types = (change: ReturnType<typeof settleTurns>) => change?.entries?.map(({ type }) => type)

  it('is cancelled whatever the last turn returned, with cancel_requested in the journal', () => {
    const { turns } = firstTurn(output([], completed))
    const change = settleTurns(turns, newHead(cancelling))
    expect(change).toMatchObject({ status: 'cancelled', finishedAt: 1_105 })
    expect(types(change)).toEqual(['cancel_requested', 'execution_cancelled'])
  })

  const cleanUp = (outcome: TurnOutcome) => {
    const live = resumeLive({ head: waitingHead(cancelling), open: [], buffered: [] }, '{}')
    const turns = advance(live, [{ kind: 'cancel', at: 1_100 }], [output([], outcome)], noDefaults, time)
    return settleTurns(turns, waitingHead(cancelling))
  }

  it('has no error if the Program did not catch the CancelledError', () => {
    const change = cleanUp({
      kind: 'failed',
      error: { code: 'program_error', name: 'CancelledError', message: 'the Execution was cancelled' },
    })
    expect(change?.error).toBeUndefined()
    expect(types(change)).toEqual(['cancel_requested', 'execution_cancelled'])
  })

  it('has no error if the clean-up failed, but a log entry', () => {
    const change = cleanUp(failed)
    expect(change).toMatchObject({ status: 'cancelled' })
    expect(change?.error).toBeUndefined()
    expect(types(change)).toEqual(['cancel_requested', 'log', 'execution_cancelled'])
    expect(change?.entries?.[1]?.data).toContain('TypeError: no\\nat run')
  })

  it('logs the name and the message once if the stack begins with them', () => {
    const stack = 'TypeError: no\n    at run'
    const change = cleanUp({
      kind: 'failed',
      error: { code: 'program_error', name: 'TypeError', message: 'no', stack },
    })
    expect(change?.entries?.[1]?.data).toBe(JSON.stringify({ level: 'error', message: `after the cancel: ${stack}` }))
  })

  it('logs the code of a failure without a name', () => {
    const change = cleanUp({ kind: 'failed', error: { code: 'program_timeout', message: 'too long' } })
    expect(change?.entries?.[1]?.data).toContain('after the cancel: program_timeout: too long"')
  })
})
