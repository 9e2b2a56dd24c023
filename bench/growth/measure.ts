// One round on one data directory. `FIGURES` says what is measured.

import type { Browser } from '@playwright/test'
import { callerOf, dropPools, type Call } from '../http.ts'
import { input, newId, newIds, sequential, spread } from '../load.ts'
import type { BenchProcess, PeerApi } from '../peer.ts'
import { processorMs, processTree } from '../machine.ts'
import { killProcesses, pidsOf } from '../processes.ts'
import { measureFirstRows } from '../ui/measure-first-rows.ts'
import { sleep, until } from '../waiting.ts'
import { apiOf, deployAll, noneStarted, originOf, startWes, type Started } from '../wes-peer.ts'
import { park } from '../workloads.ts'
import type { Samples } from './figures.ts'

export type Round = {
  readonly dir: string
  readonly port: number
  /** When its Executions were created, in ms since the epoch. */
  readonly from: number
  readonly until: number
  readonly quick: boolean
  readonly browser: Browser | undefined
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const AT_REST_AFTER_MS = 5
const iso = (at: number): string => encodeURIComponent(new Date(at).toISOString())

/** Filters that match many, few and none, through each index. */
const filters = (middle: number): readonly string[] => [
  'programId=order-approval',
  'status=failed',
  'status=cancelled',
  'status=waiting',
  'programId=order-approval&status=failed',
  'programId=nightly-report&version=2',
  'programId=resize-image&status=cancelled',
  `createdAfter=${iso(middle)}&createdBefore=${iso(middle + 5 * MINUTE_MS)}`,
  `finishedAfter=${iso(middle)}&finishedBefore=${iso(middle + 5 * MINUTE_MS)}`,
  'q=insufficient',
  'q=ECONNREFUSED',
  'q=exe_0',
  'q=nothing-like-it',
  'notQ=insufficient&status=failed',
  'needsAttention=true',
  'waitingKind=event',
  'waitingKind=timer',
  'waitingKind=effect',
  'waitingName=approved',
  'waitingName=nothing-like-it',
]

const PAGE = '/v1/executions?limit=50'

export const measureRound = async (round: Round): Promise<Samples> => {
  const samples = { ...(await measureStarts(round)), ...(await measureRunning(round)) }
  return { ...samples, recovery: [await measureRecovery(round)] }
}

type Running = {
  readonly call: Call
  readonly api: PeerApi
  readonly pids: readonly number[]
  /** The processor time until then. */
  readonly readyMs: number
  stop(): Promise<void>
}

const start = async ({ dir, port }: Round, started: Started = noneStarted()): Promise<Running> => {
  const runtime: BenchProcess = startWes(dir, port)
  try {
    await until(async () => runtime.tail.includes('ready http'), { every: 1, limit: 120_000, what: 'the line ready' })
  } catch (error) {
    await killProcesses([runtime])
    throw error
  }
  const pids = pidsOf([runtime])
  const readyMs = processorMs(pids)
  const call = callerOf(originOf(port))
  const stop = async () => {
    await dropPools()
    await killProcesses([runtime])
  }
  return { call, api: apiOf(call, started), pids, readyMs, stop }
}

const processorTimeOf = async (pids: readonly number[], act: () => Promise<unknown>): Promise<number> => {
  const before = processorMs(pids)
  await act()
  // Linux does not count what a thread has used since it last began to run, and it may still run.
  await sleep(AT_REST_AFTER_MS)
  return processorMs(pids) - before
}

/** Each start answers one kind of question first, because an answer may warm up the next one. */
const measureStarts = async (round: Round): Promise<Samples> => {
  const first = { firstPage: PAGE, firstCounts: '/v1/executions/counts', firstWaiting: '/v1/waiting' }
  // Not measured: it may migrate the database, fills the compile cache, and sums up what was never asked for.
  await withRuntime(round, async ({ call, api }) => {
    await deployAll(call)
    await api.run('noop', newId('g'), input(0))
    for (const path of Object.values(first)) await call('GET', path)
    await sleep(500)
  })
  const times = round.quick ? 1 : 4
  const samples: Record<keyof typeof first | 'ready', number[]> = {
    ready: [],
    firstPage: [],
    firstCounts: [],
    firstWaiting: [],
  }
  for (let time = 0; time < times; time++) {
    for (const [name, path] of Object.entries(first) as [keyof typeof first, string][]) {
      await withRuntime(round, async ({ call, pids, readyMs }) => {
        samples.ready.push(readyMs)
        // Opens the connection and warms up the path of a request.
        await call('GET', '/v1/projects')
        samples[name].push(await processorTimeOf(pids, () => call('GET', path)))
      })
    }
  }
  return samples
}

const withRuntime = async (round: Round, act: (running: Running) => Promise<void>): Promise<void> => {
  const running = await start(round)
  try {
    await act(running)
  } finally {
    await running.stop()
  }
}

const measureRunning = async (round: Round): Promise<Samples> => {
  const { quick, from, until: newestAt, browser, port } = round
  let samples: Samples = {}
  await withRuntime(round, async ({ call, api, pids }) => {
    const asked = async (count: number, path: (index: number) => string) =>
      sequential(count, 30_000, async (index) => processorTimeOf(pids, () => call('GET', path(index))))
    const times = quick ? 5 : 40
    await asked(10, () => PAGE)
    const page = await asked(times, () => PAGE)
    // Every question differs, because answers may be reused.
    const metrics = await asked(
      times,
      (index) => `/v1/metrics?from=${iso(newestAt - HOUR_MS - index * 1_000)}&to=${iso(newestAt)}`,
    )
    const slowest: number[] = []
    for (const filter of filters((from + newestAt) / 2)) {
      const took = await asked(quick ? 3 : 7, () => `${PAGE}&${filter}`)
      slowest.push(Math.min(...took))
    }
    const dashboard =
      browser === undefined ? [] : (await measureFirstRows(browser, `http://localhost:${port}`, quick ? 2 : 5)).coldMs
    const noop = async (index: number) => void (await api.run('noop', newId('g'), input(index)))
    await sequential(quick ? 10 : 50, 10_000, noop)
    const times64 = quick ? 200 : 1_000
    // Hosts that are idle end, so they count only while they have work.
    const withHosts = processTree(pids)
    const alone = await processorTimeOf(withHosts, () => sequential(times, 20_000, noop))
    await spread(times64, 64, noop)
    const together = await processorTimeOf(withHosts, () => spread(times64 * 4, 64, noop))
    samples = {
      page,
      metrics,
      filter: [Math.max(...slowest)],
      dashboard,
      noop: [alone / times],
      callers64: [together / times64 / 4],
    }
  })
  return samples
}

const PARKED = 200

/** As W5, with fewer Executions. */
const measureRecovery = async (round: Round): Promise<number> => {
  const started = noneStarted()
  const ids = newIds(PARKED)
  const before = await start(round, started)
  try {
    await park(before.api, ids, 60_000)
  } finally {
    await before.stop()
  }
  const { api, pids, stop } = await start(round, started)
  try {
    await spread(PARKED, 32, async (index) => api.event(ids[index]!, { i: index }))
    await spread(PARKED, 32, async (index) => api.result('event', ids[index]!))
    return processorMs(processTree(pids))
  } finally {
    await stop()
  }
}
