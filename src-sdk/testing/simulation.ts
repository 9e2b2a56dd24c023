// Runs one Execution in this process, with a clock that only the test moves. The service's engine decides; the journal
// is in memory.

import { acceptCancel, acceptEvent, eventData } from '../../src-runtime/engine/accept.ts'
import { advance as takeTurns, settleTurns } from '../../src-runtime/engine/advance.ts'
import type { OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import { endOutsideTurn } from '../../src-runtime/engine/end-execution.ts'
import type { ExecutionHead, OpenCommand } from '../../src-runtime/engine/execution-state.ts'
import { isTerminal, type JournalEntry } from '../../src-runtime/engine/journal.ts'
import { addBuffered, beginLive, endLive, placeWaits, requestCancel } from '../../src-runtime/engine/live-execution.ts'
import { createMemoryRow } from '../../src-runtime/engine/memory-row.ts'
import { planDeliveries, withPayload } from '../../src-runtime/engine/plan-deliveries.ts'
import type { PlannedDelivery, TurnOutput } from '../../src-runtime/engine/turn.ts'
import type { Waiting } from '../contract-types.ts'
import type { ProgramDefinition } from '../define-program.ts'
import { createAttempts } from './attempts.ts'
import type { FakeFinder } from './fakes.ts'
import { jsonObject, utf8Length } from './json-data.ts'
import { createProgramUnderTest } from './program-under-test.ts'
import { drained, inWorld, realTime, seededRandom, type World } from './world.ts'

export type Simulation = {
  readonly head: () => ExecutionHead
  readonly journal: readonly JournalEntry[]
  readonly waitingFor: () => readonly Waiting[]
  /** Whether the event was accepted. */
  readonly send: (name: string, payload: string | undefined) => boolean
  readonly cancel: () => void
  /** Runs everything that needs no time to pass. */
  readonly settle: () => Promise<void>
  /** Moves the clock to `to`, stopping at each time at which something is due. */
  readonly advance: (to: number) => Promise<void>
  /** Moves the clock until the Execution has ended. */
  readonly finish: () => Promise<void>
}

/** The test's clock. */
export type Clock = { now: number }

/** The time limit for a cancelled Program's clean-up. */
const CLEAN_UP_MS = 30_000

/** The real-time limit for fakes. The test's clock stands still meanwhile. */
const REAL_LIMIT_MS = 1_000

/** The real time that `advance()` gives each attempt to answer before the clock moves. */
const ADVANCE_GRACE_MS = 50

export const createSimulation = (
  definition: ProgramDefinition,
  executionId: string,
  input: string | undefined,
  clock: Clock,
  fakes: FakeFinder,
): Simulation => {
  const now = () => clock.now
  const outside: World = { now, random: seededRandom(executionId) }
  const startData = jsonObject({ input })
  const row = createMemoryRow(
    { id: executionId, programId: definition.id, createdAt: clock.now },
    startData,
    utf8Length,
  )
  const live = beginLive(row.head(), startData)
  const program = createProgramUnderTest(definition, executionId, outside, fakes)
  const findFake = ({ name, command }: OpenEffect) =>
    fakes.find(name, program.calleeOf(command), program.siteOf(command))
  const attempts = createAttempts(executionId, row, live, now, findFake, program.inputOf)
  const isOver = () => isTerminal(row.head().status)
  let events = 0

  const waitingFor = (): readonly Waiting[] =>
    isOver() ? [] : [...live.open.values()].map((open) => waitingOf(open, clock.now))

  const payloadAt = (position: number) => row.journal[position - 1]?.data ?? '{}'

  const runTurns = async (deliveries: readonly PlannedDelivery[]): Promise<void> => {
    const outputs: TurnOutput[] = []
    for (const planned of deliveries) {
      const delivery = planned.kind === 'event' ? withPayload(planned, payloadAt(planned.source)) : planned
      const output = await program.turn(delivery)
      outputs.push(output)
      if (output.outcome.kind !== 'suspended') break
    }
    const time = { begunAt: clock.now, endedAt: clock.now }
    const turns = takeTurns(live, deliveries, outputs, program.effectDefaults, time)
    const { change, firstPosition } = row.change((head) => settleTurns(turns, head))
    if (change !== undefined) placeWaits(live, change, firstPosition)
    attempts.dropClosed()
  }

  const beginAll = async (due: readonly OpenEffect[]): Promise<void> => {
    let mistake: { readonly error: unknown } | undefined
    await inWorld(outside, () => {
      try {
        attempts.begin(due)
      } catch (error) {
        mistake = { error }
      }
    })
    if (mistake !== undefined) throw mistake.error
  }

  const settle = async (): Promise<void> => {
    await drained()
    while (!isOver()) {
      const deliveries = planDeliveries(live, clock.now)
      const due = deliveries.length > 0 ? [] : attempts.due()
      if (deliveries.length > 0) await runTurns(deliveries)
      else if (due.length > 0) await beginAll(due)
      else if (live.open.size > 0) return
      else throw new Error(NOT_OF_CTX)
    }
  }

  const cleanUpEndsAt = (): number => (row.head().cancelRequestedAt ?? Infinity) + CLEAN_UP_MS

  const nextDueAt = (): number => {
    const others = [...live.open.values()].flatMap(({ kind, dueAt }) =>
      kind === 'effect' || dueAt === undefined ? [] : [dueAt],
    )
    return Math.max(clock.now, Math.min(cleanUpEndsAt(), attempts.nextDueAt(), ...others))
  }

  const moveTo = async (at: number): Promise<void> => {
    clock.now = at
    attempts.timeOut()
    if (at >= cleanUpEndsAt()) {
      row.change((head) => endOutsideTurn({ kind: 'completed', data: '{}' }, head, at))
      endLive(live)
      attempts.dropClosed()
    }
    await settle()
  }

  const hadGrace = new WeakSet<Promise<void>>()
  /** Runs everything that needs no time to pass, with the results of fakes that do real work. */
  const settleFakes = async (): Promise<void> => {
    for (;;) {
      await settle()
      const running = attempts.running().filter((answered) => !hadGrace.has(answered))
      if (running.length === 0) return
      const first = await Promise.race([...running, realTime(ADVANCE_GRACE_MS)])
      if (first === 'late') for (const answered of running) hadGrace.add(answered)
    }
  }

  return {
    head: row.head,
    journal: row.journal,
    waitingFor,
    send: (name, payload) => {
      const event = { id: `evt_${events + 1}`, name, ...(payload === undefined ? {} : { payload }) }
      const data = eventData(event)
      const { change, firstPosition } = row.change((head) =>
        acceptEvent({ name, data, bytes: utf8Length(data) }, clock.now, head, row.hasOpenWait),
      )
      if (change === undefined) return false
      events += 1
      const received = row.load().buffered.find(({ position }) => position === firstPosition)
      if (received !== undefined) addBuffered(live, received)
      return true
    },
    cancel: () => {
      row.change((head) => acceptCancel(clock.now, head))
      requestCancel(live, row.head().cancelRequestedAt)
    },
    settle,
    advance: async (to) => {
      await settleFakes()
      for (let due = nextDueAt(); !isOver() && due <= to; due = nextDueAt()) {
        await moveTo(due)
        await settleFakes()
      }
      clock.now = Math.max(clock.now, to)
    },
    finish: async () => {
      await settle()
      while (!isOver()) {
        const running = attempts.running()
        const due = nextDueAt()
        if (running.length > 0) await answered(running, waitingFor())
        else if (due < Infinity) await moveTo(due)
        else throw new Error(`The Execution does not end: ${nothingCanHappen(waitingFor())}`)
        await settle()
      }
    },
  }
}

const waitingOf = (command: OpenCommand, now: number): Waiting => {
  switch (command.kind) {
    case 'timer':
      return { kind: 'timer', wakeAt: iso(command.dueAt) }
    case 'event': {
      const wait = { kind: 'event', name: command.name, since: iso(command.since) } as const
      return command.dueAt === undefined ? wait : { ...wait, timeoutAt: iso(command.dueAt) }
    }
    case 'effect': {
      const { name, attempt, dueAt } = command
      const isPause = dueAt !== undefined && dueAt > now
      return { kind: 'effect', name, attempt, ...(isPause ? { nextAttemptAt: iso(dueAt) } : {}) }
    }
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()

const NOT_OF_CTX =
  'The Program awaits a promise that ctx did not return, so the Execution could never continue. ' +
  'If it called an effect, add the plugin wes() to vitest.config.ts, so that fakes replace effects. ' +
  'In place of a timer it needs ctx.sleep, and for fetch and the like an effect.'

const nothingCanHappen = (waiting: readonly Waiting[]): string => {
  const names = waiting.map((one) => (one.kind === 'event' ? `event "${one.name}"` : one.kind))
  return `it waits for ${names.join(' and ')}, without a timeout; send it before asking for the result`
}

/** Waits in real time for fakes that do real work. */
const answered = async (running: readonly Promise<void>[], waiting: readonly Waiting[]): Promise<void> => {
  if ((await Promise.race([...running, realTime(REAL_LIMIT_MS)])) !== 'late') return
  const names = waiting.flatMap((one) => (one.kind === 'effect' ? [`"${one.name}"`] : []))
  throw new Error(
    `The fake of effect ${names.join(', ')} has not answered for ${REAL_LIMIT_MS} ms, and the clock stands still meanwhile: ` +
      'let it answer, or let its timeout pass with advance()',
  )
}
