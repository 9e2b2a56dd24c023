// Runs one Execution of a Program in this process, turn by turn, on a clock that only moves when it is told to.

import type { HistoryEntry } from '../contract-types.ts'
import type { ProgramDefinition } from '../define-program.ts'
import { createAttempts, named } from './attempts.ts'
import { programFailure } from './failures.ts'
import type { FakeFinder } from './fakes.ts'
import { present, travel } from './json-data.ts'
import { CLEAN_UP_MS, nextDelivery, nextDueAt } from './plan.ts'
import { createContext, type ContextUnderTest } from './program-context.ts'
import { isOver, record, waitingFor, type Delivery, type Ending, type OpenEffect, type State } from './state.ts'
import { drained, inWorld, realTime, seededRandom, type World } from './world.ts'

export type Simulation = {
  readonly state: State
  /** Lets everything happen that can happen without the clock. */
  readonly settle: () => Promise<void>
  /** Goes to `to` through every moment at which something is due. */
  readonly advance: (to: number) => Promise<void>
  /** Goes on, as far as the clock must, until the Execution is over. */
  readonly finish: () => Promise<void>
}

/** How long fakes may take in real time, while the clock stands still. */
const PATIENCE_MS = 1_000

export const createSimulation = (
  definition: ProgramDefinition,
  executionId: string,
  state: State,
  fakes: FakeFinder,
): Simulation => {
  let isTurn = false
  const identity = { executionId, programId: definition.id, nameOf: fakes.nameOf }
  const context = createContext(identity, state, () => isTurn)
  const outside: World = { now: () => state.now, random: seededRandom(executionId) }
  const inside: World = { ...outside, program: context.ctx }
  const attempts = createAttempts(executionId, state, fakes)

  const turn = async (delivery: Delivery): Promise<void> => {
    take(state, delivery)
    await inWorld(inside, () => {
      isTurn = true
      if (delivery.kind === 'start') void run(definition, context, state)
      else context.settle(delivery)
    })
    isTurn = false
    if (state.ending === undefined) state.status = state.cancelRequestedAt === undefined ? 'waiting' : 'cancelling'
    else end(state, state.ending)
  }

  const settle = async (): Promise<void> => {
    await drained()
    while (!isOver(state)) {
      const delivery = nextDelivery(state)
      const due = delivery === undefined ? attempts.due() : []
      if (delivery !== undefined) await turn(delivery)
      else if (due.length > 0) await beginAll(due)
      else return failIfStuck(state)
    }
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

  const moveTo = async (at: number): Promise<void> => {
    state.now = at
    attempts.timeOut()
    const { cancelRequestedAt } = state
    if (cancelRequestedAt !== undefined && at >= cancelRequestedAt + CLEAN_UP_MS)
      end(state, { kind: 'completed', result: undefined })
    await settle()
  }

  return {
    state,
    settle,
    advance: async (to) => {
      await settle()
      for (let due = nextDueAt(state); !isOver(state) && due !== undefined && due <= to; due = nextDueAt(state)) {
        await moveTo(due)
      }
      state.now = Math.max(state.now, to)
    },
    finish: async () => {
      await settle()
      while (!isOver(state)) {
        const running = attempts.running()
        const due = nextDueAt(state)
        if (running.length > 0) await answered(running, state)
        else if (due !== undefined) await moveTo(due)
        else throw new Error(`The Execution does not end: ${nothingCanHappen(state)}`)
        await settle()
      }
    },
  }
}

const run = async (definition: ProgramDefinition, { ctx }: ContextUnderTest, state: State): Promise<void> => {
  const input = (state.history[0]?.data as { readonly input?: unknown } | undefined)?.input
  let ending: Ending
  try {
    ending = completed(await definition.run(ctx, structured(input)))
  } catch (error) {
    ending = { kind: 'failed', error: programFailure(error) }
  }
  state.ending ??= ending
}

/** The Program may change its input; the history keeps what was sent. */
const structured = (input: unknown): unknown => (input === undefined ? undefined : JSON.parse(JSON.stringify(input)))

const completed = (returned: unknown): Ending => {
  const result = travel(returned)
  switch (result.kind) {
    case 'value':
      return { kind: 'completed', result: result.value }
    case 'invalid':
      return { kind: 'failed', error: { code: 'invalid_result', message: `The result is not JSON: ${result.why}` } }
    case 'too_large': {
      const message = `The result is ${result.bytes} bytes, more than 1048576`
      return { kind: 'failed', error: { code: 'result_too_large', message } }
    }
  }
}

/** What a delivery changes before the Program hears of it. */
const take = (state: State, delivery: Delivery): void => {
  const entry = deliveryEntry(delivery)
  if (entry !== undefined) record(state, entry)
  switch (delivery.kind) {
    case 'start':
      state.status = 'running'
      return
    case 'event':
      state.buffered = state.buffered.filter((one) => one !== delivery.event)
      state.open.delete(delivery.wait.command)
      return
    case 'wait_timeout':
      state.open.delete(delivery.wait.command)
      return
    case 'timer':
      state.open.delete(delivery.timer.command)
      return
    case 'effect':
      state.answers = state.answers.filter((one) => one !== delivery.answer)
      state.open.delete(delivery.effect.command)
      return
    case 'cancel':
      state.cancelDelivered = true
      abandon(state, 'The Execution was cancelled')
  }
}

const deliveryEntry = (delivery: Delivery): Omit<HistoryEntry, 'position' | 'at'> | undefined => {
  switch (delivery.kind) {
    case 'start':
      return undefined // `execution_started` is the first entry already
    case 'cancel':
      return { type: 'cancel_requested' }
    case 'timer':
      return { type: 'timer_fired', command: delivery.timer.command }
    case 'wait_timeout':
      return { type: 'wait_timed_out', command: delivery.wait.command, name: delivery.wait.name }
    case 'event': {
      const { wait, event } = delivery
      return { type: 'event_delivered', command: wait.command, name: wait.name, data: { id: event.id } }
    }
    case 'effect': {
      const { effect, answer } = delivery
      const { command, name, attempt } = effect
      return answer.ok
        ? { type: 'effect_completed', command, name, attempt, data: present({ result: answer.result }) }
        : { type: 'effect_failed', command, name, attempt, data: { error: present(answer.failure) } }
    }
  }
}

/** Drops what is open. What comes of it later is ignored. */
const abandon = (state: State, reason: string): void => {
  for (const open of state.open.values()) {
    if (open.kind === 'effect' && open.phase === 'running') open.abort?.(named('AbortError', reason))
  }
  state.open.clear()
  state.answers = []
}

/** A cancel that was accepted first always wins: the Execution is then cancelled, whatever the Program returned or threw. */
const end = (state: State, ending: Ending): void => {
  state.ending = ending
  abandon(state, 'The Execution is over')
  if (state.cancelRequestedAt !== undefined) {
    if (ending.kind === 'failed' && ending.error.name !== 'CancelledError') {
      const { name, code, message } = ending.error
      record(state, { type: 'log', data: { level: 'error', message: `after the cancel: ${name ?? code}: ${message}` } })
    }
    record(state, { type: 'execution_cancelled' })
    state.status = 'cancelled'
  } else if (ending.kind === 'completed') {
    record(state, { type: 'execution_completed', data: present({ result: ending.result }) })
    state.status = 'completed'
  } else {
    record(state, { type: 'execution_failed', data: { error: present(ending.error) } })
    state.status = 'failed'
  }
}

const failIfStuck = (state: State): void => {
  if (state.open.size === 0 && !isOver(state)) throw new Error(NOT_OF_CTX)
}

const NOT_OF_CTX =
  'The Program awaits something that is not of ctx, so no Execution could go on. ' +
  'If it called an effect: is the plugin wes() in the vitest.config.ts, so that effects are answered by fakes?'

const nothingCanHappen = (state: State): string => {
  const names = waitingFor(state).map((one) => (one.kind === 'event' ? `event "${one.name}"` : one.kind))
  return `it waits for ${names.join(' and ')}, without a timeout; send it before asking for the result`
}

/** Fakes that do real work get real time for it; the clock stands still meanwhile. */
const answered = async (running: readonly Promise<void>[], state: State): Promise<void> => {
  if ((await Promise.race([...running, realTime(PATIENCE_MS)])) !== 'late') return
  const names = waitingFor(state).flatMap((one) => (one.kind === 'effect' ? [`"${one.name}"`] : []))
  throw new Error(
    `The fake of effect ${names.join(', ')} has not answered for ${PATIENCE_MS} ms, and the clock stands still meanwhile: ` +
      'let it answer, or let its timeout pass with advance()',
  )
}
