// Kills a real `wes dev` with kill -9 repeatedly: `npm run test:chaos -- --rounds 200`. In each round callers start, send,
// cancel and read; effects fail and are retried after 2 ms; then the process is killed at a random moment. Every few
// rounds the callers pause: Executions that do not wait for an event must continue, and ended ones are compared with the
// acknowledged requests. Exits with 1 and prints the errors, and keeps the data.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isTerminal } from '#runtime/engine/journal.ts'
import { createClient, type ServiceClient } from '#sdk/index.ts'
import { startRuntimeProcess, type RuntimeProcess } from '../runtime-process.test-support.ts'
import type { Acknowledged } from './check-journal.ts'
import { drive, faultsOf, inParallel, makeMixedProject, sendLastTicks, TALLY } from './mixed-load.ts'
import { wholeNumber } from '../../scripts/whole-number.ts'

const CALLERS = 12
/** The maximum number of unfinished Executions. */
const MOST = 250
const ROUNDS_BETWEEN_CHECKS = 10
/** The minimum number of calls per round, unless the machine is too busy. */
const FEWEST_CALLS = 40
const SHORTEST_ROUND_MS = 50
const LONGEST_ROUND_MS = 1_500
const BUSY_ROUND_MS = 6_000
const SILENCE_LIMIT_MS = 30_000

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '200' } } })
const rounds = wholeNumber('rounds', values.rounds)

const until = async (what: () => string, limitMs: number, isDone: () => Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + limitMs
  while (!(await isDone())) {
    if (Date.now() > deadline) throw new Error(`after ${limitMs} ms of silence ${what()}`)
    await sleep(100)
  }
}

const isMoving = new Set(['queued', 'running', 'cancelling'])

/** Without requests, waits until all Executions that do not wait for an event have ended. */
const rest = async (client: ServiceClient, executions: readonly Acknowledged[]): Promise<ReadonlySet<string>> => {
  const ended = new Set<string>()
  let left = executions
  const look = async (): Promise<boolean> => {
    const moving: Acknowledged[] = []
    await inParallel(left, async (one) => {
      const { status, waitingFor } = await client.getExecution(one.id)
      if (isTerminal(status)) ended.add(one.id)
      else if (isMoving.has(status) || waitingFor.some(({ kind }) => kind !== 'event')) moving.push(one)
    })
    left = moving
    return left.length === 0
  }
  await until(() => `these still do not rest: ${left.map(({ id }) => id).join(', ')}`, SILENCE_LIMIT_MS, look)
  return ended
}

const checked = { executions: 0, events: 0, cancelled: 0 }

/** Checks the ended Executions, and removes them from the list. */
const check = async (client: ServiceClient, started: Acknowledged[]): Promise<void> => {
  const ended = await rest(client, started)
  const faults: string[] = []
  await inParallel(
    started.filter(({ id }) => ended.has(id)),
    async (one) => {
      faults.push(...(await faultsOf(client, one)))
      checked.executions += 1
      checked.events += one.events.size
      if (one.cancelled) checked.cancelled += 1
    },
  )
  if (faults.length > 0) throw new Error(faults.join('\n'))
  started.splice(0, started.length, ...started.filter(({ id }) => !ended.has(id)))
}

const killInTheMiddle = async (runtime: RuntimeProcess, started: Acknowledged[]): Promise<void> => {
  let isOn = true
  let calls = 0
  const pause = async (): Promise<void> => {
    calls += 1
  }
  const client = createClient({ url: runtime.url() })
  const load = { client, started, programs: ['tally', 'mixed'], most: MOST, isOn: () => isOn, pause } as const
  const callers = Promise.all(Array.from({ length: CALLERS }, () => drive(load)))
  const deadline = Date.now() + BUSY_ROUND_MS
  await Promise.race([callers, sleep(SHORTEST_ROUND_MS + Math.random() * (LONGEST_ROUND_MS - SHORTEST_ROUND_MS))])
  while (calls < FEWEST_CALLS && Date.now() < deadline) await Promise.race([callers, sleep(5)])
  await runtime.kill()
  isOn = false
  await callers
}

const campaign = async (runtime: RuntimeProcess): Promise<void> => {
  const started: Acknowledged[] = []
  const first = createClient({ url: runtime.url() })
  await first.deployProgram(TALLY)
  await until(
    () => 'the project is not deployed',
    SILENCE_LIMIT_MS,
    async () => {
      const program = await first.getProgram('mixed').catch(() => undefined)
      return program?.runnable === true
    },
  )
  let slowestStartMs = 0
  for (let round = 1; round <= rounds; round++) {
    await killInTheMiddle(runtime, started)
    const begunAt = performance.now()
    await runtime.start()
    slowestStartMs = Math.max(slowestStartMs, performance.now() - begunAt)
    if (round % ROUNDS_BETWEEN_CHECKS > 0 && round < rounds) continue
    const client = createClient({ url: runtime.url() })
    if (round === rounds) {
      await sendLastTicks(client, started)
      await rest(client, started)
    }
    await check(client, started)
    const { executions, events, cancelled } = checked
    console.log(
      `round ${round}: ${executions} Executions that ended, ${events} events and ${cancelled} cancels are as acknowledged; ` +
        `${started.length} wait; slowest start ${Math.round(slowestStartMs)} ms`,
    )
  }
  if (started.length > 0) throw new Error(`these did not end: ${started.map(({ id }) => id).join(', ')}`)
}

const project = makeMixedProject()
const runtime = await startRuntimeProcess({ project: project.folder })
try {
  const begunAt = performance.now()
  await campaign(runtime)
  await runtime.dispose()
  project.dispose()
  console.log(
    `${rounds} rounds in ${Math.round((performance.now() - begunAt) / 1000)} s: nothing was lost, nothing is stuck`,
  )
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.error(`the data is kept in ${runtime.dataDir}; the runtime said:\n${runtime.stderr().slice(-4_000)}`)
  await runtime.kill()
  process.exitCode = 1
}
