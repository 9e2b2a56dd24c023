import fc from 'fast-check'
import { expect, it } from 'vitest'
import { acceptCancel, acceptEvent } from './accept.ts'
import { advance, settleTurns } from './advance.ts'
import { dueEffects, failAttempt, retryLater } from './effect-attempts.ts'
import { isTerminal } from './journal.ts'
import { addBuffered, resumeLive } from './live-execution.ts'
import { planDeliveries } from './plan-deliveries.ts'
import { replayTurns } from './replay-turns.ts'
import { createMemoryRow } from './memory-row.ts'
import { bufferedEvent, createProgram, foldJournal, START_DATA } from './simulation.test-support.ts'

type Step =
  | { readonly kind: 'run' }
  | { readonly kind: 'clock'; readonly ms: number }
  | { readonly kind: 'event'; readonly name: string }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'effect'; readonly pick: number; readonly fails: boolean; readonly retryable: boolean }
  | { readonly kind: 'crash' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Step>({ kind: 'run' }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('clock' as const), ms: fc.nat(40) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('event' as const), name: fc.constantFrom('a', 'b') }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'cancel' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'crash' }) },
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

/** Lives through the steps; answers the journal, and what the Program had asked for behind every turn. */
const live = (seed: number, steps: readonly Step[]) => {
  const row = createMemoryRow({ id: 'exe_1', programId: 'hello', createdAt: 1_000 }, START_DATA)
  let now = 1_000
  let program = createProgram(seed)
  let state = resumeLive(row.load(), START_DATA)

  const run = () => {
    const deliveries = planDeliveries(state, now)
    if (deliveries.length === 0) return
    const outputs = []
    for (const delivery of deliveries) {
      const output = program(delivery)
      outputs.push(output)
      if (output.outcome.kind !== 'suspended') break
    }
    const turns = advance(state, deliveries, outputs, () => ({}), { begunAt: now, endedAt: now })
    const { change } = row.change((head) => settleTurns(turns, head))
    expect(change).toBeDefined()
  }
  /** The process dies: what is not in the row and the journal is gone, and the Program is rebuilt by replay. */
  const crash = () => {
    program = createProgram(seed)
    for (const { delivery } of [...recorded(row.journal)].slice(0, row.head().turns)) program(delivery)
    state = resumeLive(row.load(), START_DATA)
  }

  for (const one of steps) {
    if (isTerminal(row.head().status)) break
    switch (one.kind) {
      case 'run':
        run()
        break
      case 'clock':
        now += one.ms
        break
      case 'crash':
        crash()
        break
      case 'cancel': {
        row.change((head) => acceptCancel(now, head))
        state.cancelRequestedAt = row.head().cancelRequestedAt
        break
      }
      case 'event': {
        const event = bufferedEvent(row.head().lastPosition + 1, one.name, now)
        const { change } = row.change((head) =>
          acceptEvent({ ...event, payload: String(event.position) }, now, head, row.hasOpenWait),
        )
        if (change !== undefined) addBuffered(state, event)
        break
      }
      case 'effect': {
        const effect = dueEffects(state, now)[one.pick]
        if (effect === undefined) break
        const { command, name, attempt } = effect
        if (state.effectDeliveries.some((delivery) => delivery.command === command)) break
        if (!one.fails) {
          state.effectDeliveries.push({ kind: 'effect_result', at: now, command, name, attempt, data: '{"result":2}' })
          break
        }
        const error = { code: 'effect_failed', message: 'not today' }
        const failed = failAttempt(effect, { error, retryable: one.retryable }, now)
        if (failed.kind === 'given_up') state.effectDeliveries.push(failed.delivery)
        else {
          row.change(() => failed.change)
          retryLater(state, failed.next)
        }
      }
    }
  }
  return { row, now, state }
}

const recorded = (journal: Parameters<typeof foldJournal>[0]) =>
  replayTurns(journal, (position) => journal[position - 1]!.data!)

const steps = fc.array(step, { maxLength: 120 })

it('replays any prefix of a journal to the very commands that it holds, races and cancels included', () => {
  fc.assert(
    fc.property(fc.nat(), steps, (seed, lived) => {
      const { row } = live(seed, lived)
      if (row.head().turns === 0) return
      for (let length = 1; length <= row.journal.length; length++) {
        const program = createProgram(seed)
        const turns = [...recorded(row.journal.slice(0, length))]
        for (const [index, { delivery, expected }] of turns.entries()) {
          const asked = program(delivery).operations.filter(({ kind }) => kind !== 'log')
          // The last turn of a prefix may be cut in the middle.
          const compared = index + 1 < turns.length ? asked : asked.slice(0, expected.length)
          expect(compared.map(({ data }) => data)).toEqual(expected.map(({ data }) => data))
          expect(compared.map(({ kind }) => kind)).toEqual(expected.map(({ kind }) => kind))
        }
      }
    }),
    { numRuns: 150 },
  )
})

it('keeps the tables that it writes equal to what the journal alone would say', () => {
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
