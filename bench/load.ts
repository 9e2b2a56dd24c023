// Creates load: one caller, many callers at once, or a fixed number of requests.

import { diskCounters } from './machine.ts'
import type { Json, Throughput } from './peer.ts'
import { percentile } from './statistics.ts'
import { sleep } from './waiting.ts'

let sequence = 0
const session = Date.now().toString(36)
export const newId = (prefix: string): string => `${prefix}-${session}-${(sequence++).toString(36)}`

export const newIds = (count: number): readonly string[] => Array.from({ length: count }, () => newId('p'))

export const input = (n: number): Json => ({ n, who: 'ada', note: 'small json input' })

export const sequential = async (count: number, limitMs: number, one: (index: number) => Promise<number | void>) => {
  const latencies: number[] = []
  const from = performance.now()
  for (let index = 0; index < count && performance.now() - from < limitMs; index++) {
    const before = performance.now()
    const measured = await one(index)
    latencies.push(measured ?? performance.now() - before)
  }
  return latencies
}

/** A closed loop: each caller sends the next request when it has its answer. */
export const closedLoop = async (
  options: {
    readonly dir: string
    readonly callers: number
    readonly warmUpMs: number
    readonly countedMs: number
    onCounting?(): void
  },
  one: () => Promise<unknown>,
): Promise<Throughput> => {
  const latencies: number[] = []
  let state: 'warming up' | 'counting' | 'over' = 'warming up'
  let errors = 0
  const ask = async () => {
    const before = performance.now()
    try {
      await one()
      if (state === 'counting') latencies.push(performance.now() - before)
    } catch (error) {
      errors++
      if (errors < 4) console.error('   error:', error instanceof Error ? error.message : error)
      if (errors > 200) throw error
    }
  }
  const caller = async () => {
    while (state !== 'over') await ask()
  }
  const callers = Promise.all(Array.from({ length: options.callers }, caller))
  callers.catch(() => undefined) // awaited below; this only avoids an unhandled rejection before that
  await sleep(options.warmUpMs)
  options.onCounting?.()
  state = 'counting'
  const disk = diskCounters(options.dir)
  const from = performance.now()
  await sleep(options.countedMs)
  state = 'over'
  const seconds = (performance.now() - from) / 1_000
  const diskAfter = diskCounters(options.dir)
  const done = latencies.length
  await callers
  return {
    perSec: done / seconds,
    done,
    errors,
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
    flushesPer: (diskAfter.flushes - disk.flushes) / done,
    bytesPer: (diskAfter.bytes - disk.bytes) / done,
  }
}

export const spread = async (count: number, callers: number, one: (index: number) => Promise<unknown>) => {
  let next = 0
  const caller = async () => {
    while (next < count) await one(next++)
  }
  await Promise.all(Array.from({ length: Math.min(count, callers) }, caller))
}
