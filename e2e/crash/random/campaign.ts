// Runs random work while processes are killed with kill -9, and compares what comes of it with what must.

import { isDeepStrictEqual } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { isTerminal } from '#runtime/engine/journal.ts'
import { ServiceRuntimeError, type Execution, type ServiceClient } from '#sdk/index.ts'
import type { RecoveryLimit } from '../hosted/recovery-limit.ts'
import { wholeHistory } from '../check-journal.ts'
import { inParallel } from '../mixed-load.ts'
import { createRandom, type Random } from '../random.ts'
import { ALL_SEEN, makeTask, SEEN, type Task } from './work.ts'

export type Campaign = {
  readonly client: ServiceClient
  /** Kills a process or more, and starts them again on the same data. */
  readonly breakAndMend: () => Promise<unknown>
  readonly seed: number
  readonly executions: number
  /** How many pieces the largest work has, about. */
  readonly largest: number
  /** How many Executions are under way at once. */
  readonly atOnce: number
  /** Between two faults, on average. */
  readonly breakEveryMs: number
  /** Makes of a limit for an idle machine one for this machine; absent: it stays as it is. */
  readonly startLimit?: (limitMs: number) => RecoveryLimit
}

/** `slowestMs`: from the last event of an Execution to its end, at most. */
export type Ended = { readonly faults: number; readonly cancelled: number; readonly slowestMs: number }

/**
 * How long an Execution may take to its end once nobody sends anything to it. Restate is asked again after 60 s for what it may not know of:
 * nothing may wait for that.
 */
const SILENCE_LIMIT_MS = 45_000
const EXACT: RecoveryLimit = { isOver: (ms) => Promise.resolve(ms > SILENCE_LIMIT_MS) }
const AWAY_LIMIT_MS = 60_000
const LOOK_EVERY_MS = 100
const CANCELLED_SHARE = 0.1
const SLOWEST_EVENT_MS = 1_500

type Run = { readonly number: number; readonly task: Task; readonly id: string; isCancelled: boolean; fedAt: number }

/** Rejects with what is wrong. The work depends on the seed alone; the moments of faults and events do not. */
export const runRandomWork = async (campaign: Campaign): Promise<Ended> => {
  const { client, seed, executions, atOnce } = campaign
  const runs: Run[] = []
  const limit = campaign.startLimit?.(SILENCE_LIMIT_MS) ?? EXACT
  const numbers = Array.from({ length: executions }, (_, number) => number).values()
  let isFed = false
  const firstFault = Promise.withResolvers<void>()
  const feed = async (): Promise<void> => {
    for (const number of numbers) {
      // However fast the machine is, something breaks in the middle.
      if (number >= executions / 2) await firstFault.promise
      const random = createRandom(seed * 1_000_003 + number)
      const task = makeTask(random, 1 + random.below(campaign.largest))
      const key = `${seed}-${number}`
      const { id } = await again(() => client.start('random-work', { work: task.work }, { idempotencyKey: key }))
      const run: Run = { number, task, id, isCancelled: false, fedAt: 0 }
      runs.push(run)
      await feedOne(client, run, random, limit)
    }
  }
  const fed = Promise.all(Array.from({ length: atOnce }, feed)).finally(() => (isFed = true))
  const [faults] = await Promise.all([breakUntil(campaign, () => isFed, firstFault.resolve), fed])
  const ended = await endOf(client, runs)
  const wrong = (await Promise.all(runs.map((run) => whatIsWrong(run, ended.get(run.id), limit)))).flat()
  await inParallel(runs, async (run) => void wrong.push(...(await whatWasForgotten(client, run))))
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  const cancelled = runs.filter(({ isCancelled }) => isCancelled).length
  return { faults, cancelled, slowestMs: Math.max(...runs.map((run) => msToEnd(run, ended.get(run.id)))) }
}

const breakUntil = async (campaign: Campaign, isOver: () => boolean, onFault: () => void): Promise<number> => {
  for (let count = 0; ; count += 1) {
    await sleep(campaign.breakEveryMs * (0.3 + 1.4 * Math.random()))
    if (isOver()) return count
    const mending = campaign.breakAndMend()
    onFault()
    await mending
  }
}

/** Sends its events, cancels some, and waits for the end. */
const feedOne = async (client: ServiceClient, run: Run, random: Random, limit: RecoveryLimit): Promise<void> => {
  const { id, task } = run
  const soon = (): Promise<void> => sleep(random.below(2) * random.below(SLOWEST_EVENT_MS))
  const send = async (name: string, payloads: readonly unknown[]): Promise<void> => {
    for (const [at, payload] of payloads.entries()) {
      await soon()
      await again(() => client.sendEvent(id, name, payload, { idempotencyKey: `${name}-${at}` }))
    }
  }
  const cancel = async (): Promise<void> => {
    await soon()
    run.isCancelled = true
    await again(() => client.cancelExecution(id))
  }
  await Promise.all([
    ...[...task.events].map(([name, payloads]) => send(name, payloads)),
    ...(random.unit() < CANCELLED_SHARE ? [cancel()] : []),
  ])
  run.fedAt = Date.now()
  for (; !(await limit.isOver(Date.now() - run.fedAt)); await sleep(LOOK_EVERY_MS)) {
    const { status } = await again(() => client.getExecution(id))
    if (isTerminal(status)) return
  }
}

/** Until processes that were killed answer again. An Execution may have ended before an event or a cancel comes. */
const again = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
  for (const from = performance.now(); ;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ServiceRuntimeError)) throw error
      if (error.code === 'execution_finished') return undefined as Answer
      const mayPass = error.status === 0 || error.status >= 500
      if (!mayPass || performance.now() - from > AWAY_LIMIT_MS) throw error
    }
    await sleep(LOOK_EVERY_MS)
  }
}

const endOf = async (client: ServiceClient, runs: readonly Run[]): Promise<ReadonlyMap<string, Execution>> => {
  const ended = new Map<string, Execution>()
  await inParallel(runs, async ({ id }) => {
    const execution = await again(() => client.getExecution(id))
    if (isTerminal(execution.status)) ended.set(id, execution)
  })
  return ended
}

const msToEnd = ({ fedAt }: Run, execution: Execution | undefined): number =>
  Date.parse(execution?.finishedAt ?? '') - fedAt

const whatIsWrong = async (
  run: Run,
  execution: Execution | undefined,
  limit: RecoveryLimit,
): Promise<readonly string[]> => {
  const { outcome, work } = run.task
  if (execution === undefined || (await limit.isOver(msToEnd(run, execution)))) {
    return [`${nameOf(run)} did not end soon enough after its last event: ${JSON.stringify(work)}`]
  }
  const { status, error } = execution
  const isRight =
    'value' in outcome
      ? status === 'completed' && isDeepStrictEqual(execution.result, outcome.value)
      : status === 'failed' && error?.code === 'program_error' && error.message === outcome.error
  if (isRight || (run.isCancelled && status === 'cancelled')) return []
  const is = JSON.stringify({ status, result: execution.result, error })
  return [`${nameOf(run)} is ${is}, not ${JSON.stringify(outcome)}: ${JSON.stringify(work)}`]
}

/** At its end, a Program that was replayed must remember what it logged when it saw it. */
const whatWasForgotten = async (client: ServiceClient, run: Run): Promise<readonly string[]> => {
  const history = await again(() => wholeHistory(client, run.id))
  const logged = history.flatMap(({ type, data }) => (type === 'log' ? (data as { message: string }).message : []))
  const end = logged.findIndex((message) => message.startsWith(ALL_SEEN))
  if (end === -1) return run.isCancelled ? [] : [`${nameOf(run)} did not log what it had seen`]
  const seen = logged.slice(0, end).filter((message) => message.startsWith(SEEN))
  const remembered = JSON.parse(logged[end]!.slice(ALL_SEEN.length)) as unknown
  if (isDeepStrictEqual(remembered, seen)) return []
  return [`${nameOf(run)} remembers ${JSON.stringify(remembered)}, and had seen ${JSON.stringify(seen)}`]
}

const nameOf = ({ number, id }: Run): string => `Execution ${number} (${id})`
