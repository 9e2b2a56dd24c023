import { describe, expect, it } from 'vitest'
import type { OpenCommand } from './execution-state.ts'
import { endLive, addBuffered, addOpen, placeWaits, resumeLive } from './live-execution.ts'
import { MAX_DELIVERIES, MAX_PLAN_BYTES, planDeliveries } from './plan-deliveries.ts'
import { bufferedEvent, newHead } from './simulation.test-support.ts'

const started = { turns: 1, status: 'waiting' } as const

const liveWith = (open: readonly OpenCommand[], rest: Parameters<typeof newHead>[0] = {}) =>
  resumeLive({ head: newHead({ ...started, lastCommand: open.length, ...rest }), open, buffered: [] }, '{}')

const wait = (
  command: number,
  name: string,
  rest: { since?: number; dueAt?: number; position?: number } = {},
): OpenCommand => ({
  kind: 'event',
  command,
  name,
  since: 1_000,
  position: 2,
  ...rest,
})
const timer = (command: number, dueAt: number): OpenCommand => ({ kind: 'timer', command, since: 1_000, dueAt })

const brief = (deliveries: ReturnType<typeof planDeliveries>) =>
  deliveries.map((delivery) => ('command' in delivery ? `${delivery.kind} ${delivery.command}` : delivery.kind))

describe('planDeliveries', () => {
  it('begins with the start, at the time of its acceptance', () => {
    const live = resumeLive({ head: newHead({ createdAt: 5 }), open: [], buffered: [] }, '{"input":7}')
    expect(planDeliveries(live, 99)).toEqual([{ kind: 'start', at: 5, data: '{"input":7}' }])
  })

  it('plans nothing for an Execution that ended, or while all timers are in the future', () => {
    const live = liveWith([timer(1, 2_000)])
    expect(planDeliveries(live, 1_999)).toEqual([])
    endLive(live)
    expect(planDeliveries(live, 5_000)).toEqual([])
  })

  it('orders by the time at which each became ready, then by command', () => {
    const live = liveWith([timer(1, 1_030), timer(2, 1_010), timer(3, 1_010), wait(4, 'a')])
    addBuffered(live, bufferedEvent(9, 'a', 1_020))
    expect(brief(planDeliveries(live, 1_100))).toEqual(['timer 2', 'timer 3', 'event 4', 'timer 1'])
  })

  it('gives the oldest event to the oldest wait of a name, including waits that lost a race', () => {
    const live = liveWith([wait(1, 'a'), wait(2, 'b'), wait(3, 'a')])
    addBuffered(live, bufferedEvent(5, 'a', 1_001))
    addBuffered(live, bufferedEvent(6, 'a', 1_002))
    addBuffered(live, bufferedEvent(7, 'a', 1_003))
    expect(planDeliveries(live, 1_010)).toMatchObject([
      { command: 1, source: 5 },
      { command: 3, source: 6 },
    ])
  })

  it('prefers an event that was accepted before the timeout, even if it is processed later', () => {
    const live = liveWith([wait(1, 'a', { dueAt: 1_050 })])
    addBuffered(live, bufferedEvent(5, 'a', 1_049))
    expect(brief(planDeliveries(live, 9_000))).toEqual(['event 1'])
  })

  it('times out a wait if its event came exactly at the timeout, and keeps the event for the next wait', () => {
    const live = liveWith([wait(1, 'a', { dueAt: 1_050 }), wait(2, 'a')])
    addBuffered(live, bufferedEvent(5, 'a', 1_050))
    expect(brief(planDeliveries(live, 1_060))).toEqual(['wait_timeout 1', 'event 2'])
  })

  it('matches an event that is in the journal before the wait, whatever its time', () => {
    for (const receivedAt of [1_000, 1_030, 900_000]) {
      const live = liveWith([wait(1, 'a', { since: 1_000, dueAt: 1_000, position: 6 })])
      addBuffered(live, bufferedEvent(5, 'a', receivedAt))
      expect(brief(planDeliveries(live, 1_000_000))).toEqual(['event 1'])
    }
  })

  it('orders such an event by the beginning of the wait', () => {
    const live = liveWith([timer(1, 1_005), wait(2, 'a', { since: 1_000, position: 6 })])
    addBuffered(live, bufferedEvent(5, 'a', 5_000))
    expect(brief(planDeliveries(live, 6_000))).toEqual(['event 2', 'timer 1'])
  })

  it('times out a wait only once its position in the journal is known', () => {
    const live = resumeLive({ head: newHead(started), open: [], buffered: [] }, '{}')
    addOpen(live, { kind: 'event', command: 1, name: 'a', since: 1_000, dueAt: 1_010 })
    addBuffered(live, bufferedEvent(5, 'a', 1_020))
    expect(planDeliveries(live, 1_100)).toEqual([])
    const entries = [
      { at: 1_000, type: 'log' },
      { at: 1_000, type: 'wait_scheduled', command: 1, name: 'a' },
    ] as const
    placeWaits(live, { entries }, 5)
    expect(brief(planDeliveries(live, 1_100))).toEqual(['event 1'])
    placeWaits(live, { entries }, 3)
    expect(brief(planDeliveries(live, 1_100))).toEqual(['wait_timeout 1'])
  })

  it('delivers nothing ahead of a timeout that waits for a position in the journal', () => {
    const live = liveWith([timer(1, 1_005), timer(3, 1_010), timer(4, 1_020), wait(5, 'b')])
    addOpen(live, { kind: 'event', command: 2, name: 'a', since: 1_000, dueAt: 1_010 })
    addBuffered(live, bufferedEvent(5, 'b', 1_015))
    expect(brief(planDeliveries(live, 1_100))).toEqual(['timer 1'])
    const cancelledThen = (at: number) => brief(planDeliveries({ ...live, cancelRequestedAt: at }, 1_100))
    expect(cancelledThen(1_004)).toEqual(['cancel'])
    expect(cancelledThen(1_009)).toEqual(['timer 1', 'cancel'])
    expect(cancelledThen(1_012)).toEqual(['timer 1'])
    placeWaits(live, { entries: [{ at: 1_000, type: 'wait_scheduled', command: 2, name: 'a' }] }, 3)
    const all = ['timer 1', 'wait_timeout 2', 'timer 3', 'event 5', 'timer 4']
    expect(brief(planDeliveries(live, 1_100))).toEqual(all)
  })

  it('keeps a wait open while its timeout is in the future and there is no event', () => {
    const live = liveWith([wait(1, 'a', { dueAt: 2_000 }), timer(2, 1_500)])
    expect(brief(planDeliveries(live, 1_500))).toEqual(['timer 2'])
  })

  it('delivers what came before a cancel before it, and nothing after it', () => {
    const live = liveWith([timer(1, 1_010), timer(2, 1_040), wait(3, 'a')], { cancelRequestedAt: 1_030 })
    addBuffered(live, bufferedEvent(5, 'a', 1_035))
    expect(brief(planDeliveries(live, 1_100))).toEqual(['timer 1', 'cancel'])
  })

  it('continues once the cancel was delivered', () => {
    const live = liveWith([timer(1, 1_040)], { cancelRequestedAt: 1_030, cancelDelivered: true })
    expect(brief(planDeliveries(live, 1_100))).toEqual(['timer 1'])
  })

  it('delivers effect results in the order of their completion, and ignores late ones', () => {
    const effect = (command: number): OpenCommand => ({
      kind: 'effect',
      command,
      name: 'charge',
      since: 1_000,
      attempt: 1,
      options: {},
    })
    const live = liveWith([effect(1), effect(2)])
    const result = (command: number, at: number) =>
      ({ kind: 'effect_result', at, command, name: 'charge', attempt: 1, data: '{}' }) as const
    live.effectDeliveries.push(result(2, 1_010), result(1, 1_020), result(7, 1_005))
    expect(brief(planDeliveries(live, 1_100))).toEqual(['effect_result 2', 'effect_result 1'])
    expect(planDeliveries(live, 1_100)).toMatchObject([{ at: 1_100 }, { at: 1_100 }])
  })

  it('delivers nothing ahead of an outcome that was not read yet', () => {
    const live = liveWith([timer(1, 1_005), timer(2, 1_010), timer(4, 1_010), wait(5, 'a')])
    addBuffered(live, bufferedEvent(5, 'a', 1_015))
    const unread = { since: 1_010, command: 3 }
    expect(brief(planDeliveries(live, 1_100, unread))).toEqual(['timer 1', 'timer 2'])
    const cancelledThen = (at: number) => brief(planDeliveries({ ...live, cancelRequestedAt: at }, 1_100, unread))
    expect(cancelledThen(1_009)).toEqual(['timer 1', 'cancel'])
    expect(cancelledThen(1_010)).toEqual(['timer 1', 'timer 2'])
  })

  it('limits the length of a plan, by count and by payload', () => {
    const timers = liveWith(Array.from({ length: MAX_DELIVERIES + 5 }, (_, index) => timer(index + 1, 1_001)))
    expect(planDeliveries(timers, 2_000)).toHaveLength(MAX_DELIVERIES)

    const waits = liveWith(Array.from({ length: 8 }, (_, index) => wait(index + 1, 'a')))
    for (let position = 1; position <= 8; position++) {
      addBuffered(waits, { ...bufferedEvent(position, 'a', 1_001), bytes: MAX_PLAN_BYTES / 4 })
    }
    expect(planDeliveries(waits, 2_000)).toHaveLength(4)
  })
})
