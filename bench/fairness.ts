// How much longer calls of one workspace take while another floods the service. The flood is sent from a thread of its own.

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { openOperatedStore } from '../src-hosted/operator/open-operated-store.ts'
import { operateTokens } from '../src-hosted/operator/operate-tokens.ts'
import type { Flood } from './flood.ts'
import { isReady, startServe, tokenOf } from './hosted-peer.ts'
import { callerOf } from './http.ts'
import { input, newId, sequential } from './load.ts'
import { killProcesses } from './processes.ts'
import { median, percentile } from './statistics.ts'
import { sleep, until } from './waiting.ts'
import { apiOf, deployAll, noneStarted, originOf } from './wes-peer.ts'

export type Fairness = {
  /** Noops of one caller of the quiet workspace, in ms. */
  readonly alone: Latencies
  readonly beside: Latencies
  readonly floodPerSecond: number
  /** How many noops of the flood end while one quiet one is under way: the median. */
  readonly endedMeanwhile: number
}

type Latencies = { readonly p50: number; readonly p99: number }

const CALLERS = 64
const WARM_UP_MS = 2_000

/** `limits`: those of `wes serve` unless changed, or none. */
export const measureFairness = async (
  port: number,
  { quick, dir }: { readonly quick: boolean; readonly dir: string },
  limits: 'default' | 'none',
): Promise<Fairness> => {
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  const service = startServe(dir, port, limits)
  try {
    await isReady(service)
    const quiet = callerOf(originOf(port), await tokenOf(service, dir))
    const flooding = { authorization: `Bearer ${await newToken(dir, 'flood')}` }
    await deployAll(quiet)
    await deployAll(callerOf(originOf(port), flooding))
    const api = apiOf(quiet, noneStarted())
    const noops = (count: number) =>
      sequential(count, 60_000, async (n) => void (await api.run('noop', newId('q'), input(n))))
    const count = quick ? 100 : 1_000
    await noops(count / 2)
    const alone = await noops(count)

    const counter = new Int32Array(new SharedArrayBuffer(4))
    const flood: Flood = { origin: originOf(port), headers: flooding, callers: CALLERS, counter }
    const thread = new Worker(new URL('./flood.ts', import.meta.url), { workerData: flood })
    try {
      await until(async () => Atomics.load(counter, 0) > 0, { every: 5, limit: 10_000, what: 'the flood' })
      await sleep(WARM_UP_MS)
      const from = performance.now()
      const before = Atomics.load(counter, 0)
      const ended: number[] = []
      const beside = await sequential(count, 60_000, async (n) => {
        const endedBefore = Atomics.load(counter, 0)
        await api.run('noop', newId('q'), input(n))
        ended.push(Atomics.load(counter, 0) - endedBefore)
      })
      const floodPerSecond = ((Atomics.load(counter, 0) - before) / (performance.now() - from)) * 1_000
      return { alone: of(alone), beside: of(beside), floodPerSecond, endedMeanwhile: median(ended) }
    } finally {
      await thread.terminate()
    }
  } finally {
    await killProcesses([service])
  }
}

const of = (latencies: readonly number[]): Latencies => ({
  p50: percentile(latencies, 50),
  p99: percentile(latencies, 99),
})

const newToken = async (dir: string, workspace: string): Promise<string> => {
  const { store, close } = await openOperatedStore({ folder: join(dir, 'data') })
  try {
    const made = await operateTokens(store, workspace).create({ name: 'bench', role: 'admin' })
    return (JSON.parse(made) as { secret: string }).secret
  } finally {
    await close()
  }
}
