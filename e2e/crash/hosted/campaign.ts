// Rounds of faults under load. Every few rounds all callers are silent, and all unfinished Executions must go on alone.

import { setTimeout as sleep } from 'node:timers/promises'
import { hostileExecutions, transactionsOf, withDatabase } from './database.ts'
import { checkAll } from './checks.ts'
import { breakSomething } from './break.ts'
import { createFaultPlan } from './fault-plan.ts'
import { createRandom } from '../random.ts'
import { sendLastTicks, startLoad, type Load } from './load.ts'
import { cpuMsOf, cpuMsSince } from './process-tree.ts'
import { measureSlowdown, startLenientLimit, startRecoveryLimit, type RecoveryLimit } from './recovery-limit.ts'
import { startChaosService, type ChaosService } from './service.ts'
import { partsOf, throwOnCrash, untilRest } from './until-rest.ts'

export type CampaignOptions = {
  readonly seed: number
  readonly rounds: number
  /** Ends after the round in which this is over; absent: after all rounds. */
  readonly limitMs?: number
  readonly isCluster: boolean
  /** Otherwise it leaves out what takes long: hostile code, workers that move, and the CPU use of idle processes. */
  readonly isWhole: boolean
  readonly say: (line: string) => void
}

/** How long all hostile Programs may take to use up their memory and fuel, where nothing else runs. */
const HOSTILE_LIMIT_MS = 180_000
const ROUNDS_BETWEEN_CHECKS = 4
const IDLE_MS = 10_000
/** Until PostgreSQL has counted all transactions after the last Executions. */
const SETTLE_MS = 15_000

/** Rejects with what is wrong, the seed, and where the data is. */
export const runCampaign = async (options: CampaignOptions): Promise<void> => {
  const slowdown = await measureSlowdown()
  options.say(`the machine is ${slowdown.toFixed(1)} times slower than two idle cores`)
  const service = await startChaosService(options)
  try {
    await campaign(service, options, () => startRecoveryLimit(slowdown))
  } catch (error) {
    await service.dispose(true)
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(
      `${message}\nseed ${options.seed}; the data is kept in ${service.folder}: logs/ has what each process said`,
      { cause: error },
    )
  }
  await service.dispose(false)
}

const campaign = async (
  service: ChaosService,
  options: CampaignOptions,
  startLimit: () => RecoveryLimit,
): Promise<void> => {
  const { seed, rounds, limitMs = Infinity, isWhole, say } = options
  const random = createRandom(seed)
  // How many calls there are depends on the machine; the faults do not.
  const calls = createRandom(seed + 1)
  const nextFaults = createFaultPlan(random, isWhole)
  const begunAt = performance.now()
  const all: Load[] = []
  let slowestMs = 0
  let load = startLoad(service, calls, isWhole)
  all.push(load)
  for (let round = 1; round <= rounds; round += 1) {
    await sleep(300 + random.below(1_200))
    const what = await breakSomething(service, nextFaults(), random, startLimit)
    const faultEndedAt = performance.now()
    throwOnCrash(service)
    const isLast = round === rounds || performance.now() - begunAt > limitMs
    say(`round ${round}: ${what}`)
    if (round % ROUNDS_BETWEEN_CHECKS > 0 && !isLast) continue
    await load.stop()
    const tookMs = await untilRest(service, faultEndedAt, startLimit())
    slowestMs = Math.max(slowestMs, tookMs)
    say(`round ${round}: at rest ${Math.round(tookMs)} ms after the last fault`)
    if (isLast) break
    load = startLoad(service, calls, isWhole)
    all.push(load)
  }
  const whole = joined(all)
  const endedAt = performance.now()
  await sendLastTicks(service, whole)
  await untilRest(service, endedAt, startLimit())
  await untilHostileEnded(service)
  const { faults, figures } = await checkAll(service, whole)
  if (faults.length > 0) throw new Error(`${faults.length} faults:\n${faults.slice(0, 50).join('\n')}`)
  throwOnCrash(service)
  const found = Object.entries(figures).map(([name, count]) => `${count} ${name}`)
  if (options.isWhole) say(await measureIdle(service))
  say(`as acknowledged: ${found.join(', ')}; slowest recovery ${Math.round(slowestMs)} ms`)
}

const joined = (loads: readonly Load[]): Load => ({
  acknowledged: loads.flatMap(({ acknowledged }) => acknowledged),
  surprises: loads.flatMap(({ surprises }) => surprises),
  calls: loads.reduce((sum, { calls }) => sum + calls, 0),
  stop: () => Promise.resolve(),
})

const untilHostileEnded = async (service: ChaosService): Promise<void> => {
  const begunAt = performance.now()
  const limit = startLenientLimit(HOSTILE_LIMIT_MS) // hosts of slow Programs have a lower priority
  for (;;) {
    const left = await withDatabase(service.ownerUrl(), hostileExecutions)
    if (left.length === 0) return
    if (await limit.isOver(performance.now() - begunAt)) {
      throw new Error(`hostile Programs never end: ${JSON.stringify(left)}`)
    }
    await sleep(1_000)
  }
}

/** The work of the processes without calls and schedules. */
const measureIdle = async (service: ChaosService): Promise<string> => {
  await service.client.replaceTriggers('default', [])
  await sleep(SETTLE_MS)
  const parts = partsOf(service)
  const read = () => withDatabase(service.ownerUrl(), transactionsOf)
  const before = { cpuMs: parts.map((part) => cpuMsOf(part.pids())), transactions: await read() }
  await sleep(IDLE_MS)
  const seconds = IDLE_MS / 1_000
  const perSecond = (ms: number): string => `${(ms / seconds).toFixed(1)} ms`
  const cpu = parts.map((part, index) => `${part.name} ${perSecond(cpuMsSince(before.cpuMs[index]!, part.pids()))}`)
  const transactions = ((await read()) - before.transactions) / seconds
  return `idle, of each second: ${cpu.join(', ')}; ${transactions.toFixed(1)} transactions`
}
