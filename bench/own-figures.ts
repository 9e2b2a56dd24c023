// Figures of our own runtime only: its event loop under load, the time until `ready`, and many parked Executions, in and
// out of the image cache.

import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { openBench } from './boot.ts'
import { measureEffects, type EffectFigures } from './effects.ts'
import { callerOf } from './http.ts'
import { closedLoop, input, newId, newIds, sequential } from './load.ts'
import { fileBytes } from './machine.ts'
import type { Memory, Throughput } from './peer.ts'
import { killProcesses } from './processes.ts'
import { sleep, until } from './waiting.ts'
import { createWesPeer, countWaiting, originOf, startWes } from './wes-peer.ts'
import { bootWarm, firstNoop, park, type RoundOptions } from './workloads.ts'

export type EventLoopDelay = { readonly p50: number; readonly p99: number; readonly max: number }

export type OwnFigures = {
  /** In the runtime's process, under W1 at 64 callers, in ms. */
  eventLoop?: EventLoopDelay & { readonly perSec: number }
  /** Until the line `ready`, on an existing data directory, in ms. */
  readyMs?: readonly number[]
  effects?: EffectFigures
  manyParked?: {
    readonly n: number
    readonly parkedMs: number
    readonly rssPer: number
    readonly rssPerAfterRestart: number
    readonly restartMs: number
    readonly diskPer: number
    readonly writtenPer: number
  }
}

export const measureOwnFigures = async (port: number, { only, quick, dir }: RoundOptions): Promise<OwnFigures> => {
  const figures: OwnFigures = {}
  if (only.includes('W1')) figures.eventLoop = await eventLoopDelay(port, quick, dir)
  if (only.includes('W6')) figures.readyMs = await timesUntilReady(port, quick ? 3 : 10, dir)
  if (only.includes('effects')) figures.effects = await measureEffects(port, { quick, dir })
  if (only.includes('W4')) figures.manyParked = await manyParked(port, quick ? 1_000 : 10_000, quick, dir)
  return figures
}

const eventLoopDelay = async (port: number, quick: boolean, dir: string) => {
  const bench = openBench(createWesPeer({ port, observed: true }), dir, quick)
  try {
    const api = await bench.boot({ fresh: true })
    const [runtime] = bench.processes()
    if (runtime === undefined) throw new Error('no runtime was started')
    await firstNoop(api)
    const load: Throughput = await closedLoop(
      {
        dir,
        callers: 64,
        warmUpMs: quick ? 1_000 : 3_000,
        countedMs: quick ? 3_000 : 10_000,
        onCounting: () => void runtime.send('reset'),
      },
      async () => api.run('noop', newId('d'), input(1)),
    )
    const reported = once(runtime, 'message', { signal: AbortSignal.timeout(5_000) })
    runtime.send('report')
    const [delay] = (await reported) as [EventLoopDelay]
    return { ...delay, perSec: load.perSec }
  } finally {
    await bench.down()
  }
}

const timesUntilReady = async (port: number, times: number, dir: string): Promise<readonly number[]> => {
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  // The first start creates the data directory and the compile cache.
  const measured = await sequential(times + 1, 60_000, async () => timeUntilReady(port, dir))
  return measured.slice(1)
}

const timeUntilReady = async (port: number, dir: string): Promise<number> => {
  const from = performance.now()
  const runtime = startWes(dir, port)
  try {
    await until(async () => runtime.tail.includes('ready http'), { every: 1, limit: 20_000, what: 'the line ready' })
    return performance.now() - from
  } finally {
    await killProcesses([runtime])
  }
}

const manyParked = async (port: number, n: number, quick: boolean, dir: string) => {
  const bench = openBench(createWesPeer({ port }), dir, quick)
  try {
    await bootWarm(bench, { fresh: true })
    await bench.down()
    // Both figures are read after a restart, so that the cost of a first start does not count.
    const api = await bootWarm(bench, { fresh: false })
    const before = { memory: bench.memory(), files: fileBytes(dir), bytes: bench.bytesWritten() }
    const { parkedMs } = await park(api, newIds(n), 180_000)
    await sleep(3_000)
    const perParked = (memory: Memory) => (memory.rss - before.memory.rss) / n
    const rssPer = perParked(bench.memory())
    const diskPer = (fileBytes(dir) - before.files) / n
    const writtenPer = (bench.bytesWritten() - before.bytes) / n
    const waiting = await countWaiting(callerOf(originOf(port)))
    if (waiting !== n) throw new Error(`${n} were started and ${waiting} wait`)
    await bench.down()

    // Outside the caches: what remains is the cost of a parked Execution while it waits.
    const from = performance.now()
    await firstNoop(await bench.boot({ fresh: false }))
    const restartMs = performance.now() - from
    await bench.down()
    await bootWarm(bench, { fresh: false })
    const rssPerAfterRestart = perParked(bench.memory())
    return { n, parkedMs, rssPer, rssPerAfterRestart, restartMs, diskPer, writtenPer }
  } finally {
    await bench.down()
  }
}
