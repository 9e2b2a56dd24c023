import { describe, expect, it } from 'vitest'
import type { Attempt } from './attempt.ts'
import { createAttemptQueue, roomAlone, roomBeside, type AttemptQueue } from './attempt-queue.ts'

const attemptOf = (programId: string, executionId: string, attempt = 1) =>
  ({ call: { programId, executionId, attempt } }) as Attempt

/** How many places the attempts get that are taken from the queue one after the other. */
const held = (queue: AttemptQueue, places: number): number => {
  const running: Attempt[] = []
  for (;;) {
    const next = queue.take(roomBeside(running, places))
    if (next === undefined) return running.length
    running.push(next)
  }
}

describe('places of an effect host', () => {
  it('are a third for one Execution, and half for one Program', () => {
    const one = createAttemptQueue()
    for (let at = 0; at < 300; at++) one.add(attemptOf('p', 'exe_1'))
    expect(held(one, 200)).toBe(67)
    const many = createAttemptQueue()
    for (let at = 0; at < 300; at++) many.add(attemptOf('p', `exe_${at}`))
    expect(held(many, 200)).toBe(100)
  })

  it('are taken by Programs in turn, and by the Executions of each', () => {
    const queue = createAttemptQueue()
    for (const [programId, executionId] of [
      ['p', 'a'],
      ['p', 'a'],
      ['p', 'b'],
      ['q', 'c'],
    ] as const) {
      queue.add(attemptOf(programId, executionId))
    }
    const order = Array.from({ length: 4 }, () => queue.take()?.call.executionId)
    expect([order, queue.size]).toEqual([['a', 'c', 'b', 'a'], 0])
  })

  it('are taken by first attempts and repeated ones of a Program in turn', () => {
    const queue = createAttemptQueue()
    for (let at = 0; at < 3; at++) queue.add(attemptOf('p', `fails ${at}`, 2))
    for (let at = 0; at < 2; at++) queue.add(attemptOf('p', `new ${at}`))
    queue.add(attemptOf('q', 'other'))
    const order = Array.from({ length: 6 }, () => queue.take()?.call.executionId)
    expect([order, queue.size]).toEqual([['fails 0', 'other', 'new 0', 'fails 1', 'new 1', 'fails 2'], 0])
  })

  it('are not taken by an attempt that was removed', () => {
    const queue = createAttemptQueue()
    const attempt = attemptOf('p', 'a')
    queue.add(attempt)
    expect([queue.remove(attempt), queue.remove(attempt), queue.size, queue.take()]).toEqual([
      true,
      false,
      0,
      undefined,
    ])
  })
})

it('of hosts that take one attempt each, no Execution holds the last', () => {
  const queue = createAttemptQueue()
  const [first, second, other] = [attemptOf('p', 'long'), attemptOf('p', 'long'), attemptOf('p', 'short')]
  for (const attempt of [first, second]) queue.add(attempt)
  expect(queue.take(roomAlone([], 2))).toBe(first)
  const room = roomAlone([first], 2)
  expect([queue.canTake(room), queue.take(room)]).toEqual([false, undefined])
  queue.add(other)
  expect([queue.canTake(room), queue.take(room)]).toEqual([true, other])
  expect(queue.take(roomAlone([first], 3))).toBe(second)
})
