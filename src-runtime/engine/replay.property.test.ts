import fc from 'fast-check'
import { expect, it } from 'vitest'
import { acceptCancel, acceptEvent } from './accept.ts'
import { advance, settleTurns } from './advance.ts'
import { actEarly, type EarlyAction } from './act-early.ts'
import { answerEffect, dueEffects, effectResult, failAttempt } from './effect-attempts.ts'
import { isTerminal, type JournalEntry } from './journal.ts'
import { addBuffered, placeWaits, requestCancel, resumeLive, updateOpen } from './live-execution.ts'
import { planDeliveries, withPayload } from './plan-deliveries.ts'
import { replayTurns } from './replay-turns.ts'
import { createMemoryRow } from './memory-row.ts'
import { bufferedData, bufferedEvent, createProgram, foldJournal, START_DATA } from './simulation.test-support.ts'

type Step =
  /** A turn that takes `ms`, and during which an event may arrive. */
  | { readonly kind: 'run'; readonly ms: number; readonly name: string | undefined }
  /** May be negative. */
  | { readonly kind: 'clock'; readonly ms: number }
  | { readonly kind: 'event'; readonly name: string }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'effect'; readonly pick: number; readonly fails: boolean; readonly retryable: boolean }
  | { readonly kind: 'early'; readonly action: EarlyAction; readonly command: number }
  | { readonly kind: 'crash' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      ms: fc.oneof(fc.constant(0), fc.nat(80)),
      name: fc.option(fc.constantFrom('a', 'b'), { nil: undefined, freq: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      ms: fc.oneof({ weight: 5, arbitrary: fc.nat(40) }, { weight: 1, arbitrary: fc.integer({ min: -500, max: -1 }) }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('event' as const), name: fc.constantFrom('a', 'b') }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'cancel' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'crash' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('early' as const),
      action: fc.constantFrom('fire', 'retry'),
      command: fc.integer({ min: 1, max: 8 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('effect' as const),
      pick: fc.nat(5),
      fails: fc.boolean(),
      retryable: fc.boolean(),
    }),
  },
)

/** Runs the steps. Returns the journal, and what the Program had asked for after every turn. */
const live = (seed: number, steps: readonly Step[]) => {
  const row = createMemoryRow({ id: 'exe_1', programId: 'hello', createdAt: 1_000 }, START_DATA, Buffer.byteLength)
  let now = 1_000
  let program = createProgram(seed)
  let state = resumeLive(row.load(), START_DATA)

  const receive = (name: string) => {
    const event = bufferedEvent(row.head().lastPosition + 1, name, now)
    const data = bufferedData(event.position)
    const { change } = row.change((head) => acceptEvent({ ...event, data }, now, head, row.hasOpenWait))
    if (change !== undefined) addBuffered(state, event)
  }
  const run = ({ ms, name }: Extract<Step, { kind: 'run' }>) => {
    const deliveries = planDeliveries(state, now)
    if (deliveries.length === 0) return
    const begunAt = now
    const outputs = []
    for (const planned of deliveries) {
      const output = program(planned.kind === 'event' ? withPayload(planned, bufferedData(planned.source)) : planned)
      outputs.push(output)
      if (output.outcome.kind !== 'suspended') break
    }
    now += ms
    if (name !== undefined) receive(name)
    const turns = advance(state, deliveries, outputs, () => ({}), { begunAt, endedAt: now })
    const { change, firstPosition } = row.change((head) => settleTurns(turns, head))
    expect(change).toBeDefined()
    placeWaits(state, change!, firstPosition)
  }
  /** The process dies: only the row and the journal survive, and a replay rebuilds the Program. */
  const crash = () => {
    program = createProgram(seed)
    for (const { delivery } of [...recorded(row.journal)].slice(0, row.head().turns)) program(delivery)
    state = resumeLive(row.load(), START_DATA)
  }

  for (const one of steps) {
    if (isTerminal(row.head().status)) break
    switch (one.kind) {
      case 'run':
        run(one)
        break
      case 'clock':
        now += one.ms
        break
      case 'crash':
        crash()
        break
      case 'cancel': {
        row.change((head) => acceptCancel(now, head))
        requestCancel(state, row.head().cancelRequestedAt)
        break
      }
      case 'event':
        receive(one.name)
        break
      case 'effect': {
        const effect = dueEffects(state, now)[one.pick]
        if (effect === undefined) break
        if (state.effectDeliveries.some(({ command }) => command === effect.command)) break
        if (!one.fails) {
          answerEffect(state, effectResult(effect, '{"result":2}', now))
          break
        }
        const error = { code: 'effect_failed', message: 'not today' }
        const failed = failAttempt(effect, { error, retryable: one.retryable }, now)
        if (failed.kind === 'given_up') answerEffect(state, failed.delivery)
        else {
          row.change(() => failed.change)
          updateOpen(state, failed.next)
        }
        break
      }
      case 'early': {
        const acted = actEarly(one.action, row.open(one.command), now)
        if (acted.kind !== 'rescheduled') break
        row.change(() => ({ rescheduled: [acted.open] }))
        updateOpen(state, acted.open)
      }
    }
  }
  return { row, now, state }
}

const recorded = (journal: Parameters<typeof foldJournal>[0]) =>
  replayTurns(journal, (position) => journal[position - 1]!.data!)

const steps = fc.array(step, { maxLength: 120 })

it('replays any prefix of a journal to the commands in it, including races and cancels', () => {
  fc.assert(
    fc.property(fc.nat(), steps, (seed, lived) => {
      const { row } = live(seed, lived)
      if (row.head().turns === 0) return
      for (let length = 1; length <= row.journal.length; length++) {
        const program = createProgram(seed)
        const turns = [...recorded(row.journal.slice(0, length))]
        for (const [index, { delivery, expected }] of turns.entries()) {
          const asked = program(delivery).operations.filter(({ kind }) => kind !== 'log')
          // A prefix may cut its last turn short.
          const compared = index + 1 < turns.length ? asked : asked.slice(0, expected.length)
          expect(compared.map(({ data }) => data)).toEqual(expected.map(({ data }) => data))
          expect(compared.map(({ kind }) => kind)).toEqual(expected.map(({ kind }) => kind))
        }
      }
    }),
    { numRuns: 150 },
  )
})

it('keeps the tables equal to what the journal alone says', () => {
  fc.assert(
    fc.property(fc.nat(), steps, (seed, lived) => {
      const { row } = live(seed, lived)
      const { head, open, buffered } = row.load()
      if (isTerminal(head.status) || head.turns === 0) return
      expect({
        open: open.map(({ command }) => command),
        buffered: buffered.map(({ position }) => position),
        turns: head.turns,
        lastCommand: head.lastCommand,
      }).toEqual(foldJournal(row.journal))
    }),
    { numRuns: 300 },
  )
})

/** Whether more events preceded the timed-out wait than older waits of that name could have taken. */
const lostAnEvent = (journal: readonly JournalEntry[], timeout: JournalEntry): boolean => {
  const before = journal.slice(0, timeout.position - 1)
  const cancelled = before.findLast(({ type }) => type === 'cancel_requested')?.position ?? 0
  const taken = new Set(before.map(({ source }) => source))
  const answered = new Set(
    before.flatMap(({ type, command }) => (type === 'event_delivered' || type === 'wait_timed_out' ? [command] : [])),
  )
  const ofItsName = before.filter(({ name }) => name === timeout.name)
  const waits = ofItsName.filter(({ type, position }) => type === 'wait_scheduled' && position > cancelled)
  const wait = waits.find(({ command }) => command === timeout.command)!
  const older = waits.filter(({ command }) => command! < timeout.command! && !answered.has(command))
  const events = ofItsName.filter(
    ({ type, position }) => type === 'event_received' && position < wait.position && !taken.has(position),
  )
  return events.length > older.length
}

it('never times out a wait if its event is before it in the journal, whatever the clock says', () => {
  fc.assert(
    fc.property(fc.nat(), steps, (seed, lived) => {
      const { journal } = live(seed, lived).row
      const timeouts = journal.filter(({ type }) => type === 'wait_timed_out')
      expect(timeouts.filter((timeout) => lostAnEvent(journal, timeout))).toEqual([])
    }),
    { numRuns: 500 },
  )
})

it('plans the same deliveries from the tables as from the state in memory', () => {
  fc.assert(
    fc.property(fc.nat(), steps, fc.nat(60), (seed, lived, later) => {
      const { row, now, state } = live(seed, lived)
      if (isTerminal(row.head().status)) return
      const at = now + later
      const fromMemory = planDeliveries({ ...state, effectDeliveries: [] }, at)
      expect(planDeliveries(resumeLive(row.load(), START_DATA), at)).toEqual(fromMemory)
    }),
    { numRuns: 300 },
  )
})
