// Shared by the chaos test and the soak test: two Programs, callers that start, send, cancel and read, and a checker that
// compares acknowledged requests with the data of the API.

import { createProject, type TestProject } from '#runtime/source/project.test-support.ts'
import { ServiceRuntimeError, type ServiceClient } from '#sdk/index.ts'
import { checkJournal, type Acknowledged } from './check-journal.ts'

/** The number of events that each Program takes before it ends. */
export const TICKS = 3

/** With waits and timers only. */
export const TALLY = {
  format: 'wes.program/1',
  id: 'tally',
  program: {
    code: `({
      run: async (ctx, input) => {
        let sum = 0
        for (let count = 0; count < ${TICKS}; count++) {
          sum += await ctx.waitForEvent('tick')
          if (count === 1) await ctx.sleep(5)
        }
        return { n: input.n, sum }
      },
    })`,
  },
} as const

/** In each round an effect that may fail twice and is retried after 2 ms, an event, and a timer. */
const MIXED = `import { defineProgram } from 'workflow-execution-service'
import { flaky } from './mixed.effects.ts'
export default defineProgram({ id: 'mixed' }, async (ctx, input: { n: number }) => {
  const keys = []
  let sum = 0
  for (let round = 0; round < ${TICKS}; round++) {
    keys.push(await flaky({ failures: (input.n + round) % 3 }))
    sum += await ctx.waitForEvent<number>('tick')
    await ctx.sleep(1 + (input.n % 20))
  }
  return { n: input.n, sum, keys }
})`

const MIXED_EFFECTS = `import { defineEffect } from 'workflow-execution-service'
export const flaky = defineEffect(
  { retry: { maxAttempts: 1000, initialInterval: 2, backoffCoefficient: 1, maxInterval: 2 } },
  async (input: { failures: number }, { attempt, idempotencyKey }) => {
    if (attempt % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 3))
    if (attempt <= input.failures) throw new Error('not yet')
    return idempotencyKey
  },
)`

/** The numbers of the commands that are effects: each round has three commands. */
const EFFECT_COMMANDS = Array.from({ length: TICKS }, (_, round) => round * 3 + 1)

export const makeMixedProject = (): TestProject =>
  createProject({ 'programs/mixed.effects.ts': MIXED_EFFECTS, 'programs/mixed.ts': MIXED }, { packages: true })

export type ProgramId = 'tally' | 'mixed'

/** The only errors that a client may get from a killed process. */
const isGone = (error: unknown): boolean => error instanceof ServiceRuntimeError && error.code === 'network_error'
export const isOver = (error: unknown): boolean =>
  error instanceof ServiceRuntimeError && error.code === 'execution_finished'

const random = (below: number): number => Math.floor(Math.random() * below)

export type Load = {
  readonly client: ServiceClient
  /** Grows with each acknowledged start. */
  readonly started: Acknowledged[]
  readonly programs: readonly ProgramId[]
  /** The maximum number of starts. */
  readonly most: number
  readonly isOn: () => boolean
  /** The delay between two calls of a caller. */
  readonly pause?: () => Promise<void>
}

/** One caller. Ends on request, or when the process has ended. */
export const drive = async (load: Load): Promise<void> => {
  while (load.isOn()) {
    try {
      await callOnce(load)
    } catch (error) {
      if (isGone(error)) return
      if (!isOver(error)) throw error
    }
    await load.pause?.()
  }
}

const callOnce = async ({ client, started, programs, most }: Load): Promise<void> => {
  const pick = started[random(started.length)]
  const dice = Math.random()
  if (pick === undefined || (dice < 0.3 && started.length < most)) {
    const program = programs[random(programs.length)]!
    const n = random(1e6)
    const { id } = await client.start(program, { n })
    started.push({ id, program, n, events: new Map(), cancelled: false })
  } else if (dice < 0.9) {
    const value = random(100)
    const receipt = await client.sendEvent(pick.id, 'tick', value)
    pick.events.set(receipt.id, value)
  } else if (dice < 0.95) {
    await client.cancelExecution(pick.id)
    pick.cancelled = true
  } else {
    const view = await client.getResult(pick.id)
    if (view.status === 'completed') pick.result = view.result
  }
}

/** Sends the remaining events, so that every Execution ends. */
export const sendLastTicks = (client: ServiceClient, executions: readonly Acknowledged[]): Promise<void> =>
  inParallel(executions, async (one) => {
    for (let tick = 0; tick < TICKS; tick++) {
      try {
        const receipt = await client.sendEvent(one.id, 'tick', 1)
        one.events.set(receipt.id, 1)
      } catch (error) {
        if (!isOver(error)) throw error
      }
    }
  })

const CHECKS_AT_ONCE = 16

export const inParallel = async <Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> => {
  const rest = items.values()
  const worker = async (): Promise<void> => {
    for (const item of rest) await act(item)
  }
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, worker))
}

/** The differences between the service's data and the acknowledged requests. */
export const faultsOf = async (client: ServiceClient, one: Acknowledged): Promise<readonly string[]> => {
  const { execution, faults, expect, of, sumOf } = await checkJournal(client, one)
  const completed = of('effect_completed').map(({ command }) => command!)
  expect('the effects that completed', completed, [...new Set(completed)])
  if (one.cancelled) expect('the status after its cancel', execution.status, 'cancelled')
  if (execution.status === 'failed') faults.push(`${one.id}: failed: ${JSON.stringify(execution.error)}`)
  if (execution.status !== 'completed') return faults
  const [n, sum] = [one.n, sumOf(TICKS)]
  const keys = EFFECT_COMMANDS.map((command) => `${one.id}/${command}`)
  expect('the result', execution.result, one.program === 'tally' ? { n, sum } : { n, sum, keys })
  if (one.result !== undefined) expect('the result that was read before', one.result, execution.result)
  return faults
}
