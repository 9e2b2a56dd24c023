import { afterEach, describe, expect, it, vi } from 'vitest'
import { pino } from 'pino'
import type { Command, TurnOutput } from '../engine/turn.ts'
import { createProgramHosts } from '../sandbox/create-program-hosts.ts'
import { systemClock } from '../shared/clock.ts'
import type { ScriptedProgram } from './scripted-hosts.test-support.ts'
import { createRig, T0, type Rig } from './worker-rig.test-support.ts'

const MIB = 1024 * 1024
const noScript = (): ScriptedProgram => {
  throw new Error('Not scripted')
}

let rig: Rig
afterEach(() => rig.close())

/** Sizes of what each transaction of an Execution stores. */
const watchCommits = (): readonly number[] => {
  const sizes: number[] = []
  const { executions } = rig.store
  const { change } = executions
  vi.spyOn(executions, 'change').mockImplementation(async (...of) => {
    const changed = await change(...of)
    const entries = changed?.change?.entries ?? []
    sizes.push(entries.reduce((sum, { data = '' }) => sum + data.length, 0))
    return changed
  })
  return sizes
}

describe('turns of a plan with a large output', () => {
  it('are stored one by one', async () => {
    const events = 4
    const perEvent = 5
    const code = `({ run: async (ctx) => {
      const input = 'x'.repeat(1_000_000)
      const one = async () => {
        await ctx.waitForEvent('item')
        for (let n = 0; n < ${perEvent}; n++) ctx.effect('e', input).catch(() => {})
      }
      await Promise.all(Array.from({ length: ${events} }, one))
      await ctx.waitForEvent('end')
    } })`
    const log = pino({ level: 'silent' })
    const hosts = createProgramHosts({ loadProgram: () => ({ code }), log })
    rig = await createRig(noScript, { clock: systemClock, runsEffects: () => false, hosts })
    const sizes = watchCommits()
    try {
      const key = await rig.startUntil('waiting')
      await Promise.all(Array.from({ length: events }, (_, n) => rig.send(key, 'item', String(n))))
      await vi.waitFor(() => expect(rig.head(key).turns).toBe(1 + events))
      expect(rig.head(key)).toMatchObject({ status: 'waiting', buffered: 0, lastCommand: events * (1 + perEvent) + 1 })
      const stored = sizes.filter((size) => size > MIB)
      expect(stored).toHaveLength(events)
      expect(Math.max(...stored)).toBeLessThan((perEvent + 1) * MIB)
    } finally {
      await hosts.stop()
    }
  })
})

const wait = (command: number, name: string, dueAt?: number): Command => ({
  kind: 'wait',
  command,
  name,
  ...(dueAt !== undefined && { dueAt }),
  data: '{}',
})

/** Each event opens an effect, a timer that is due at once, and another wait. The cancel is cleaned up at once. */
const busy = (): ScriptedProgram => {
  let last = 9
  return (delivery): TurnOutput => {
    const suspended = (...operations: readonly Command[]): TurnOutput => ({
      operations,
      outcome: { kind: 'suspended' },
    })
    switch (delivery.kind) {
      case 'start':
        return suspended(
          ...Array.from({ length: 7 }, (_, n) => wait(n + 1, 'item')),
          { kind: 'timer', command: 8, dueAt: T0, data: '{}' },
          wait(9, 'never', T0),
        )
      case 'event':
        return suspended(
          { kind: 'effect', command: ++last, name: 'e', options: {}, data: `{"input":${delivery.command}}` },
          { kind: 'timer', command: ++last, dueAt: delivery.at, data: '{}' },
          wait(++last, 'item'),
        )
      case 'cancel':
        return { operations: [], outcome: { kind: 'completed', data: '{}' } }
      default:
        return suspended()
    }
  }
}

const order = (key: number) => rig.journal(key).map(({ type, command, name }) => [type, command, name])

/** The same, and calls back in the turn of each event. */
const afterEvents = (onEvent: () => void): ScriptedProgram => {
  const run = busy()
  return (delivery) => {
    if (delivery.kind === 'event') onEvent()
    return run(delivery)
  }
}

/** Sends ten events while the first turn runs. */
const begin = async (outputChars: number, program = busy): Promise<number> => {
  rig = await createRig(() => program(), { outputChars, runsEffects: () => false })
  rig.hosts.hold()
  const key = await rig.start()
  for (let n = 0; n < 10; n++) await rig.send(key, 'item', String(n))
  return key
}

/** The start, ten events, eleven timers and a timeout. */
const untilDelivered = (key: number) =>
  vi.waitFor(() => expect(rig.head(key)).toMatchObject({ turns: 23, status: 'waiting' }))

describe('turns behind those with a large output', () => {
  it('run in the same order as in one plan, also when images are lost', async () => {
    const journalOf = async (outputChars: number, program = busy) => {
      const key = await begin(outputChars, program)
      rig.hosts.resume()
      await untilDelivered(key)
      return { journal: order(key), activations: rig.hosts.activations.length }
    }
    const whole = await journalOf(Infinity)
    await rig.close()
    const cut = await journalOf(1)
    await rig.close()
    const lost = await journalOf(1, () => afterEvents(() => rig.hosts.loseImages()))
    expect(cut.journal).toEqual(whole.journal)
    expect(lost.journal).toEqual(whole.journal)
    expect(cut.activations).toBeGreaterThan(whole.activations + 5)
    expect(lost.activations).toBeGreaterThan(cut.activations)
  })

  it('run after the process has died between two of them', async () => {
    let holdsAfter = 3
    const hold = () => {
      if (--holdsAfter === 0) rig.hosts.hold()
    }
    const key = await begin(1, () => afterEvents(hold))
    rig.hosts.resume()
    await vi.waitFor(() => expect(rig.head(key).turns).toBe(4))
    rig.restart()
    rig.hosts.resume()
    await untilDelivered(key)
    const delivered = rig.journal(key).filter(({ type }) => type === 'event_delivered')
    expect(delivered.map(({ source }) => source)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })

  it('are followed by the cancel that was the last of their plan', async () => {
    rig = await createRig(busy, { outputChars: 1, runsEffects: () => false })
    const key = await rig.start()
    await vi.waitFor(() => expect(rig.head(key)).toMatchObject({ turns: 3, status: 'waiting' }))
    rig.hosts.hold()
    for (let n = 0; n < 7; n++) await rig.send(key, 'item', String(n))
    await rig.worker().cancel(key)
    rig.clock.jump(T0 + 1)
    const before = rig.hosts.activations.length
    rig.hosts.resume()
    await rig.until(key, 'cancelled')
    const plan = rig.hosts.activations[before]?.turns.map(({ delivery }) => delivery.kind)
    expect([plan?.[0], plan?.at(-1)]).toEqual(['event', 'cancel'])
    const types = rig.types(key).filter((type) => type === 'event_delivered' || type.includes('cancel'))
    const events = Array.from({ length: 7 }, () => 'event_delivered')
    expect(types).toEqual([...events, 'cancel_requested', 'execution_cancelled'])
  })
})
