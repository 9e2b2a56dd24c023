import { afterEach, expect, it, vi } from 'vitest'
import type { EffectOutcome } from '../effects/effect-performer.ts'
import type { Command, Delivery, TurnOutput } from '../engine/turn.ts'
import { systemClock } from '../shared/clock.ts'
import { createRig, type Rig } from './worker-rig.test-support.ts'

let rig: Rig
afterEach(() => rig.close())

const asking = (...operations: Command[]): TurnOutput => ({ operations, outcome: { kind: 'suspended' } })

const callsThenSleeps = (delivery: Delivery): TurnOutput => {
  switch (delivery.kind) {
    case 'start':
      return asking({ kind: 'effect', command: 1, name: 'charge', options: {}, data: '{}' })
    case 'effect_result': {
      const dueAt = delivery.at + 5
      const data = JSON.stringify({ wakeAt: new Date(dueAt).toISOString() })
      return asking({ kind: 'timer', command: 2, dueAt, data })
    }
    default:
      return { operations: [], outcome: { kind: 'completed', data: '{}' } }
  }
}

it('continues all unfinished Executions without callers, also far more than may run at once', async () => {
  let begun = 0
  let dies = true
  rig = await createRig(() => callsThenSleeps, {
    clock: systemClock,
    effects: {
      defaultsOf: () => ({}),
      perform: () => {
        begun += 1
        return dies ? new Promise<never>(() => {}) : Promise.resolve<EffectOutcome>({ kind: 'completed', data: '{}' })
      },
    },
  })
  const inEffects = await Promise.all(Array.from({ length: 300 }, () => rig.start()))
  await expect.poll(() => begun).toBe(inEffects.length)
  rig.hosts.hold()
  const notBegun = await Promise.all(Array.from({ length: 700 }, () => rig.start()))
  dies = false
  rig.restart()
  rig.hosts.resume()
  for (const key of [...inEffects, ...notBegun]) {
    await expect.poll(() => rig.head(key).status, { timeout: 60_000, interval: 2 }).toBe('completed')
  }
})

it('reads the same page again when the store could not be read, and goes on with the next one', async () => {
  rig = await createRig(() => callsThenSleeps)
  rig.hosts.hold()
  const keys = await Promise.all(Array.from({ length: 300 }, () => rig.start()))
  const { unfinished } = rig.store.executions
  let reads = 0
  vi.spyOn(rig.store.executions, 'unfinished').mockImplementation((...args) => {
    reads += 1
    if (reads <= 2) throw new Error('the disk does not answer')
    return unfinished(...args)
  })
  rig.restart()
  rig.hosts.resume()
  await vi.waitFor(() => {
    rig.clock.advance(1_000)
    expect(keys.filter((key) => rig.head(key).turns === 0)).toEqual([])
  })
})

it.each([-1_000, 0])(
  'fires a timer that was due at %i ms since the epoch, when the runtime died before it fired',
  async (dueAt) => {
    const sleepsUntilPast = (delivery: Delivery): TurnOutput => {
      if (delivery.kind !== 'start') return { operations: [], outcome: { kind: 'completed', data: '{}' } }
      rig.hosts.hold()
      const data = JSON.stringify({ wakeAt: new Date(dueAt).toISOString() })
      return asking({ kind: 'timer', command: 1, dueAt, data })
    }
    rig = await createRig(() => sleepsUntilPast)
    const key = await rig.startUntil('waiting')
    rig.restart()
    rig.hosts.resume()
    await rig.until(key, 'completed')
    expect(rig.types(key)).toContain('timer_fired')
  },
)
