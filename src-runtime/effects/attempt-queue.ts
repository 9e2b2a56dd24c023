// Attempts that wait for a place in an effect host. Programs take turns; in each, first attempts and repeated ones, because effects that
// fail at once may come back hundreds at a time; and so do Executions. The last places stay free for those that hold fewer, so that slow
// effects of one Program do not hold up all others.

import { createFairGroups, type MayTake } from '../shared/fair-groups.ts'
import type { Attempt } from './attempt.ts'
import type { EffectCall } from './effect-performer.ts'

type Queued = { readonly call: Pick<EffectCall, 'programId' | 'executionId' | 'attempt'> }

export type AttemptQueue<Item extends Queued = Attempt> = {
  readonly size: number
  add(attempt: Item): void
  /** Whether it was still waiting. */
  remove(attempt: Item): boolean
  /** The next attempt that may begin; by default any. */
  take(room?: Room, may?: (attempt: Item) => boolean): Item | undefined
  /** Whether `take` would return one. */
  canTake(room: Room): boolean
}

/** Whether another attempt may begin. */
export type Room = {
  ofProgram(programId: string): boolean
  ofExecution(programId: string, executionId: string): boolean
}

/** No Program may hold more places than are free, and no Execution more than its Program may still take. */
export const roomBeside = (attempts: readonly Attempt[], places: number): Room => {
  const held = new Map<string, number>()
  const count = (id: string): number => held.get(id) ?? 0
  for (const { call } of attempts) {
    for (const id of [call.programId, call.executionId]) held.set(id, count(id) + 1)
  }
  const left = (programId: string): number => places - attempts.length - count(programId)
  return {
    ofProgram: (programId) => left(programId) > 0,
    ofExecution: (programId, executionId) => count(executionId) < left(programId),
  }
}

/** For attempts that do not run among all others: no Execution may hold more of them than are free, but every one may hold one. */
export const roomAlone = (attempts: readonly Attempt[], places: number): Room => {
  const free = places - attempts.length
  return {
    ofProgram: () => true,
    ofExecution: (_programId, executionId) => {
      const held = attempts.filter(({ call }) => call.executionId === executionId).length
      return held === 0 || held < free
    },
  }
}

export const createAttemptQueue = <Item extends Queued = Attempt>(): AttemptQueue<Item> => {
  const queue = createFairGroups<Item>(({ call: { programId, executionId, attempt } }) => ({
    group: programId,
    kind: attempt === 1 ? 'first' : 'repeated',
    key: executionId,
  }))
  const within = (room: Room, may: (attempt: Item) => boolean = () => true): MayTake<Item> => ({
    ofGroup: room.ofProgram,
    first: (attempt) => may(attempt) && room.ofExecution(attempt.call.programId, attempt.call.executionId),
  })
  return {
    get size() {
      return queue.size
    },
    add: queue.add,
    remove: queue.remove,
    take: (room, may) => queue.take(room && within(room, may)),
    canTake: (room) => queue.canTake(within(room)),
  }
}
