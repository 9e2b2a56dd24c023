import { afterEach, expect, it, vi } from 'vitest'
import type { EffectCall, EffectOutcome, EffectPerformer } from '../effects/effect-performer.ts'
import type { Delivery, TurnOutput } from '../engine/turn.ts'
import type { NotedAttempt, UnderWay } from './under-way.ts'
import { createRig, noNotes, type Rig } from './worker-rig.test-support.ts'

let rig: Rig
afterEach(() => rig.close())

const callsEffect = (delivery: Delivery): TurnOutput =>
  delivery.kind === 'start'
    ? {
        operations: [{ kind: 'effect', command: 1, name: 'poison', options: {}, data: '{}' }],
        outcome: { kind: 'suspended' },
      }
    : { operations: [], outcome: { kind: 'completed', data: JSON.stringify({ result: delivery.kind }) } }

/** Notes that survive what the rig calls a restart: a death. */
const createNotes = () => {
  const under = new Map<string, NotedAttempt>()
  let died: NotedAttempt[] = []
  const underWay: UnderWay = {
    ...noNotes,
    died: () => died,
    begin: (attempt) => void under.set(attempt.executionId, attempt),
    end: ({ executionId }) => void under.delete(executionId),
    clear: () => under.clear(),
  }
  return {
    underWay,
    die: () => {
      died = [...under.values()]
      rig.restart()
    },
  }
}

it('fails an attempt during which three runtimes crashed, and leaves retries to the policy', async () => {
  const calls: EffectCall[] = []
  const notes = createNotes()
  const effects: EffectPerformer = {
    defaultsOf: () => ({ retry: { maxAttempts: 2, initialIntervalMs: 5 } }),
    perform: (call) => {
      calls.push(call)
      call.onBegin?.()
      return new Promise<EffectOutcome>(() => undefined)
    },
  }
  rig = await createRig(() => callsEffect, { effects, underWay: notes.underWay })
  const key = await rig.start()
  for (let deaths = 0; deaths < 3; deaths++) {
    await vi.waitFor(() => expect(calls).toHaveLength(deaths + 1))
    expect(calls.at(-1)).toMatchObject({ attempt: 1 })
    notes.die()
  }
  await vi.waitFor(() => expect(rig.types(key)).toContain('effect_attempt_failed'))
  expect(calls).toHaveLength(3)
  const failed = rig.journal(key).find(({ type }) => type === 'effect_attempt_failed')
  expect(failed?.data).toContain(
    'the runtime died at least 3 times while attempt 1 of effect \\"poison\\" was under way',
  )
  expect(failed?.data).toContain('`wes dev --no-effects` starts without running effects')
  await vi.waitFor(() => {
    rig.clock.advance(5)
    expect(calls.at(-1)).toMatchObject({ attempt: 2 })
  })
})

it('finds the one of many attempts that kills the runtime, and fails no other', async () => {
  const MOST = 60
  const begun: string[] = []
  const notes = createNotes()
  let killer = ''
  const effects: EffectPerformer = {
    defaultsOf: () => ({ retry: { maxAttempts: 1 } }),
    perform: (call) => {
      if (!call.signal.aborted) {
        call.onBegin?.()
        begun.push(call.executionId)
      }
      return new Promise<EffectOutcome>(() => undefined)
    },
  }
  rig = await createRig(() => callsEffect, { effects, underWay: notes.underWay })
  const keys: number[] = []
  for (let n = 0; n < MOST; n++) keys.push(await rig.start())
  const [culprit = 0] = keys.slice(40)
  killer = rig.head(culprit).id
  await vi.waitFor(() => expect(begun).toHaveLength(MOST))
  const hasFailed = (key: number): boolean => rig.types(key).includes('effect_failed')
  let deaths = 0
  const beginsAgain = (): boolean => {
    if (!begun.includes(killer)) rig.clock.advance(500)
    return begun.includes(killer) || hasFailed(culprit)
  }
  while (!hasFailed(culprit)) {
    begun.length = 0
    deaths += 1
    notes.die()
    await vi.waitFor(() => expect(beginsAgain()).toBe(true), { interval: 1 })
  }
  expect(deaths).toBe(5)
  const began = rig.clock.now()
  const innocents = keys.filter((key) => key !== culprit)
  await vi.waitFor(
    () => {
      rig.clock.advance(500)
      expect(new Set(begun)).toEqual(new Set(innocents.map((key) => rig.head(key).id)))
    },
    { interval: 1 },
  )
  expect(rig.clock.now() - began).toBeLessThan(60_000)
  expect(innocents.filter(hasFailed)).toEqual([])
})

it('fails all that were running when the runtime has died eight times, whichever of them kills it', async () => {
  const notes = createNotes()
  let begun = 0
  const effects: EffectPerformer = {
    defaultsOf: () => ({ retry: { maxAttempts: 1 } }),
    perform: (call) => {
      if (!call.signal.aborted) {
        call.onBegin?.()
        begun += 1
      }
      return new Promise<EffectOutcome>(() => undefined)
    },
  }
  rig = await createRig(() => callsEffect, { effects, underWay: notes.underWay })
  const keys = [await rig.start(), await rig.start()]
  for (let deaths = 1; deaths <= 8; deaths++) {
    await vi.waitFor(
      () => {
        rig.clock.advance(500)
        expect(begun).toBe(2)
      },
      { interval: 1 },
    )
    begun = 0
    notes.die()
  }
  for (const key of keys) await vi.waitFor(() => expect(rig.types(key)).toContain('effect_failed'))
  expect(begun).toBe(0)
})

it('notes an attempt once, although it begins again when its folder is trusted again', async () => {
  const noted: string[] = []
  const underWay: UnderWay = { ...noNotes, begin: () => noted.push('begin'), end: () => noted.push('end') }
  const effects: EffectPerformer = {
    defaultsOf: () => ({}),
    perform: (call) => {
      call.onBegin?.()
      call.onBegin?.()
      return Promise.resolve<EffectOutcome>({ kind: 'completed', data: '{}' })
    },
  }
  rig = await createRig(() => callsEffect, { effects, underWay })
  await rig.until(await rig.start(), 'completed')
  expect(noted).toEqual(['begin', 'end'])
})

it('runs no effects if told so: they wait, and the next runtime runs them', async () => {
  let attempts = 0
  let runs = false
  const effects: EffectPerformer = {
    defaultsOf: () => ({}),
    perform: () => {
      attempts += 1
      return Promise.resolve({ kind: 'completed', data: '{}' })
    },
  }
  rig = await createRig(() => callsEffect, { effects, runsEffects: () => runs })
  const key = await rig.startUntil('waiting')
  rig.clock.advance(60_000)
  expect(rig.record(key).waitingFor).toMatchObject([{ kind: 'effect', name: 'poison', attempt: 1 }])
  expect(attempts).toBe(0)
  runs = true
  rig.restart()
  await rig.until(key, 'completed')
  expect(attempts).toBe(1)
})
