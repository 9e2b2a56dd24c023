// How long the service may take to recover. It is promised for two cores of its own, so the time is longer where a quota or
// other processes leave less of the machine.

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { slowdownDuring } from '#runtime/behaviour/slowdown.test-support.ts'
import { cpuMsOf, cpuMsSince, processTree, TICK_MS } from './process-tree.ts'

const LIMIT_MS = 30_000
const CORES = 2
const MEASURE_SPEED_MS = 2_000

export type RecoveryLimit = {
  /** Whether `ms` are longer than the service may take. */
  isOver(ms: number): Promise<boolean>
}

/** How many times slower each of two processes computes than on two idle cores; at least 1. */
export const measureSlowdown = async (): Promise<number> => {
  const measuring = Array.from({ length: CORES }, () => slowdownDuring(() => sleep(MEASURE_SPEED_MS)))
  const each = await Promise.all(measuring)
  return each.reduce((sum, one) => sum + one, 0) / CORES
}

/**
 * `slowdown`: as measured before the service started, since its own load is no excuse. What other processes use meanwhile is
 * one.
 */
export const startRecoveryLimit = (slowdown: number): RecoveryLimit => {
  const mostByOthers = countOthers()
  return {
    isOver: async (ms) => {
      if (ms <= LIMIT_MS * slowdown) return false
      const most = mostByOthers()
      return ms > LIMIT_MS * Math.max(slowdown, Math.min(most, await measureSlowdown()))
    },
  }
}

/**
 * For processes of a lower priority, and for work of many steps, each of which waits for the processor: these get only what other
 * processes leave. `limitMs`: on two idle cores.
 */
export const startLenientLimit = (limitMs: number): RecoveryLimit => {
  const mostByOthers = countOthers()
  return { isOver: (ms) => Promise.resolve(ms > limitMs && ms > limitMs * mostByOthers()) }
}

/**
 * Answers how many times slower other processes may have made this one and its children since this call, at most: what others used may be
 * more than they have taken away, because this process and its children may have waited.
 */
const countOthers = (): (() => number) => {
  const own = cpuMsOf(processTree(process.pid))
  const machine = readMachine()
  return () => {
    const now = readMachine()
    const totalMs = now.totalMs - machine.totalMs
    const othersMs = now.busyMs - machine.busyMs - cpuMsSince(own, processTree(process.pid))
    return totalMs / Math.max(1, totalMs - othersMs)
  }
}

/** Processor time of all cores, since the machine started. The fourth and fifth numbers are idle time. */
const readMachine = (): { readonly totalMs: number; readonly busyMs: number } => {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const ticks = line.split(/\s+/).slice(1, 9).map(Number)
  const totalMs = ticks.reduce((sum, one) => sum + one, 0) * TICK_MS
  return { totalMs, busyMs: totalMs - (ticks[3]! + ticks[4]!) * TICK_MS }
}
