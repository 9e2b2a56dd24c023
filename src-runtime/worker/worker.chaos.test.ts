// Runs many Executions of a Program that asks for random commands, while images are lost, the process dies and commits
// fail, in an order that a seed decides. Afterwards every journal must be consistent, as if nothing had gone wrong, and
// whatever waits for a time or an effect must continue by itself.

import { expect, it, vi } from 'vitest'
import type { EffectPerformer } from '../effects/effect-performer.ts'
import { isTerminal } from '../engine/journal.ts'
import { replayTurns } from '../engine/replay-turns.ts'
import { createProgram } from '../engine/simulation.test-support.ts'
import { createRig, type Rig } from './worker-rig.test-support.ts'

const EXECUTIONS = 25
const STEPS = 250

const createRandom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const seedOf = (executionId: string): number =>
  [...executionId].reduce((sum, one) => sum * 31 + one.charCodeAt(0), 7) >>> 0

const performer = (random: (below: number) => number): EffectPerformer => ({
  defaultsOf: () => ({ retry: { maxAttempts: 3, initialIntervalMs: 5 } }),
  perform: () =>
    Promise.resolve(
      random(3) === 0
        ? { kind: 'failed', retryable: true, error: { code: 'effect_failed', message: 'no luck' } }
        : { kind: 'completed', data: '{"result":1}' },
    ),
})

const expectOneLife = (rig: Rig, key: number): void => {
  const journal = rig.journal(key)
  const head = rig.head(key)
  expect(isTerminal(head.status)).toBe(true)
  expect(journal.map(({ position }) => position)).toEqual(journal.map((_, index) => index + 1))
  const program = createProgram(seedOf(head.id))
  const eventData = (position: number) => journal[position - 1]!.data!
  // A cancel that was never delivered (the Execution was queued, or its last turn was running) is no turn.
  const turns = [...replayTurns(journal, eventData)].slice(0, head.turns)
  for (const [index, { delivery, expected }] of turns.entries()) {
    const { operations, outcome } = program(delivery)
    const commands = operations.filter(({ kind }) => kind !== 'log')
    expect(commands.map(({ data }) => data)).toEqual(expected.map(({ data }) => data))
    if (index < turns.length - 1) expect(outcome.kind).toBe('suspended')
  }
  const sources = journal.flatMap(({ source }) => source ?? [])
  expect(new Set(sources).size).toBe(sources.length)
}

/** Moves only the clock. In the end, every live Execution waits for events alone, and for ones that were not sent. */
const expectSilenceMovesEverything = (rig: Rig, alive: () => readonly number[]): Promise<void> =>
  vi.waitFor(
    () => {
      rig.clock.advance(2_000)
      for (const key of alive()) {
        const { head, waitingFor } = rig.record(key)
        expect(head).toMatchObject({ status: head.cancelDelivered ? 'cancelling' : 'waiting' })
        expect(waitingFor.filter(({ kind, dueAt }) => kind !== 'event' || dueAt !== undefined)).toEqual([])
        const names = waitingFor.flatMap((open) => (open.kind === 'event' ? open.name : []))
        const buffered = rig.store.executions.load(key)?.buffered ?? []
        expect(buffered.filter(({ name }) => names.includes(name))).toEqual([])
      }
    },
    { interval: 5 },
  )

it.each([1, 2, 3, 4])(
  'lives one life per Execution through crashes, lost images and failed commits (%i)',
  async (seed) => {
    const random = createRandom(seed)
    const rig = await createRig((executionId) => createProgram(seedOf(executionId)), { effects: performer(random) })
    rig.trouble.failsCommit = () => random(20) === 0
    const keys: number[] = []
    while (keys.length < EXECUTIONS) {
      const key = await rig.start().catch(() => undefined)
      if (key !== undefined) keys.push(key)
    }

    for (let step = 0; step < STEPS; step++) {
      const key = keys[random(EXECUTIONS)]!
      switch (random(8)) {
        case 0:
          rig.hosts.loseImages()
          break
        case 1:
          if (random(5) === 0) rig.restart()
          break
        case 2:
          if (random(6) === 0)
            await rig
              .worker()
              .cancel(key)
              .catch(() => undefined)
          break
        case 3:
        case 4:
          await rig.send(key, 'ab'.charAt(random(2))).catch(() => undefined)
          break
        default:
          rig.clock.advance(random(60))
          await new Promise((resolve) => setImmediate(resolve))
      }
    }

    rig.trouble.failsCommit = () => false
    const alive = () => keys.filter((key) => !isTerminal(rig.head(key).status))
    while (alive().length > 0) {
      await expectSilenceMovesEverything(rig, alive)
      for (const key of alive()) {
        await rig.send(key, 'a')
        await rig.send(key, 'b')
        if (random(4) === 0) await rig.worker().cancel(key)
      }
    }
    for (const key of keys) expectOneLife(rig, key)
    await rig.close()
  },
)
