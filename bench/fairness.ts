// How much longer calls of one workspace take while another floods the service, or has many timers that are due at the same
// moment. The flood is sent from a thread of its own.

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { onOperatedStore } from '../src-hosted/operator/open-operated-store.ts'
import { operateTokens } from '../src-hosted/operator/operate-tokens.ts'
import type { Flood } from './flood.ts'
import { isReady, startServe, tokenOf } from './hosted-peer.ts'
import { callerOf, type Call } from './http.ts'
import { input, newId, sequential, spread } from './load.ts'
import { killProcesses } from './processes.ts'
import { median, percentile } from './statistics.ts'
import { sleep, until } from './waiting.ts'
import type { PeerApi } from './peer.ts'
import { apiOf, deployAll, noneStarted, originOf } from './wes-peer.ts'

export type Fairness = {
  /** Noops of one caller of the quiet workspace, in ms. */
  readonly alone: Latencies
  readonly beside: Latencies
  readonly floodPerSecond: number
  /** How many noops of the flood end while one quiet one is under way: the median. */
  readonly endedMeanwhile: number
  /** Events of the quiet workspace to their results, beside a flood of noops with large inputs and results. */
  readonly besideLarge: Latencies
  readonly timers: {
    readonly n: number
    /** From events of the quiet workspace to their results, from when the timers are due until they have ended: the longest. */
    readonly longestMs: number
  }
}

type Latencies = { readonly p50: number; readonly p99: number }

const CALLERS = 64
const LARGE_CALLERS = 60
const LARGE_CHARS = 900_000
const WARM_UP_MS = 2_000
const TIMER = '({ run: async (ctx, at) => ctx.sleep(Math.max(0, at - Date.now())) })'
/** Starting one with 64 callers takes less. */
const TIMER_START_MS = 3
/** After a refusal. */
const PAUSE_MS = 50

/** With the limits of `wes serve` unless changed. */
export const measureFairness = async (
  port: number,
  { quick, dir }: { readonly quick: boolean; readonly dir: string },
): Promise<Fairness> => {
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  const service = startServe(dir, port, 'default')
  try {
    await isReady(service)
    const quiet = callerOf(originOf(port), await tokenOf(service, dir))
    const flooding = { authorization: `Bearer ${await newToken(dir, 'flood')}` }
    const busy = callerOf(originOf(port), flooding)
    await deployAll(quiet)
    await deployAll(busy)
    const api = apiOf(quiet, noneStarted())
    const noops = (count: number) => sequential(count, 60_000, () => noop(api))
    const count = quick ? 100 : 1_000
    await noops(count / 2)
    const alone = await noops(count)

    const flood: Flood = { origin: originOf(port), headers: flooding, callers: CALLERS, inputChars: 0 }
    const flooded = await besideFlood(flood, () => noop(api), count)
    const large: Flood = { ...flood, callers: LARGE_CALLERS, inputChars: LARGE_CHARS }
    const { beside: besideLarge } = await besideFlood(large, () => eventToResult(api), count / 10)
    const timers = await besideTimers(quiet, busy, quick ? 400 : 4_000)
    return { alone: of(alone), ...flooded, besideLarge, timers }
  } finally {
    await killProcesses([service])
  }
}

/** `act` answers how long what is measured took, in ms. */
const besideFlood = async (flood: Flood, act: () => Promise<number>, count: number) => {
  const counter = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(new URL('./flood.ts', import.meta.url), { workerData: { ...flood, counter } })
  const ended = () => Atomics.load(counter, 0)
  try {
    await until(async () => ended() > 0, { every: 5, limit: 10_000, what: 'the flood' })
    await sleep(WARM_UP_MS)
    const from = performance.now()
    const before = ended()
    const meanwhile: number[] = []
    const beside = await sequential(count, 60_000, async () => {
      const endedBefore = ended()
      const ms = await act()
      meanwhile.push(ended() - endedBefore)
      return ms
    })
    const floodPerSecond = ((ended() - before) / (performance.now() - from)) * 1_000
    return { beside: of(beside), floodPerSecond, endedMeanwhile: median(meanwhile) }
  } finally {
    await thread.terminate()
  }
}

const besideTimers = async (quiet: Call, busy: Call, n: number): Promise<Fairness['timers']> => {
  await busy('POST', '/v1/programs/deploy', { format: 'wes.program/1', id: 'timer', program: { code: TIMER } })
  const at = Date.now() + n * TIMER_START_MS + 2_000
  await spread(n, CALLERS, async () => {
    for (;;) {
      const started = await busy('POST', '/v1/executions', { programId: 'timer', input: at }).catch(() => undefined)
      if (started !== undefined) return
      // The workspace is over its rate.
      if (Date.now() > at) throw new Error(`starting ${n} timers took longer than ${TIMER_START_MS} ms each`)
      await sleep(PAUSE_MS)
    }
  })
  const ended = async () => {
    const { counts } = (await busy('GET', '/v1/executions/counts?programId=timer')) as {
      readonly counts: { readonly completed: number }
    }
    return counts.completed
  }
  const api = apiOf(quiet, noneStarted())
  const event = () => eventToResult(api)
  await sequential(20, 5_000, event)
  await sleep(Math.max(0, at - Date.now()))
  let longestMs = 0
  while ((await ended()) < n) longestMs = Math.max(longestMs, await event())
  return { n, longestMs }
}

const noop = async (api: PeerApi): Promise<number> => {
  const from = performance.now()
  await api.run('noop', newId('q'), input(1))
  return performance.now() - from
}

const eventToResult = async (api: PeerApi): Promise<number> => {
  const id = newId('e')
  await api.start('event', id, {})
  const from = performance.now()
  await api.event(id, {})
  await api.result('event', id)
  return performance.now() - from
}

const of = (latencies: readonly number[]): Latencies => ({
  p50: percentile(latencies, 50),
  p99: percentile(latencies, 99),
})

const newToken = async (dir: string, workspace: string): Promise<string> => {
  const made = await onOperatedStore({ folder: join(dir, 'data') }, (store) =>
    operateTokens(store, workspace).create({ name: 'bench', role: 'admin' }),
  )
  return (JSON.parse(made) as { secret: string }).secret
}
