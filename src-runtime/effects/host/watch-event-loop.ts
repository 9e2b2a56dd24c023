// Tells what blocks the event loop, while it is blocked: the watchdog stops the main thread in its tracks, as a debugger
// does, and has it say which attempt that is, and where.

import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { EffectHostLimits } from '../effect-host-limits.ts'
import { BEATS, CELLS_BYTES, REPORT_BLOCKED, type WatchdogData } from './watchdog-data.ts'

const BEAT_MS = 250
/** Beside this module, in the sources as in a bundle. */
const WATCHDOG = join(import.meta.dirname, `effect-watchdog${extname(import.meta.filename)}`)

export const watchEventLoop = (options: {
  readonly limits: EffectHostLimits
  readonly leadsGroup: boolean
  /** Called while the main thread is stopped within whatever blocks it. */
  readonly report: () => void
  /** Regularly, as long as the event loop turns. */
  readonly onBeat: () => void
}): void => {
  const { limits, leadsGroup, report, onBeat } = options
  const shared = new SharedArrayBuffer(CELLS_BYTES)
  const cells = new Int32Array(shared)
  const beat = () => {
    Atomics.add(cells, BEATS, 1)
    onBeat()
  }
  setInterval(beat, BEAT_MS).unref()
  Object.defineProperty(globalThis, Symbol.for(REPORT_BLOCKED), { value: report })

  const workerData: WatchdogData = {
    shared,
    parentPid: process.ppid,
    leadsGroup,
    memoryMb: limits.memoryMb,
    // A little before the runtime would find out by itself.
    blockedAfterMs: limits.blockedAfterMs * 0.75,
  }
  const watchdog = new Worker(WATCHDOG, {
    workerData,
    // Nothing of the project's: no preloaded modules, no settings.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  // Without it a host is still watched from outside.
  watchdog.on('error', () => undefined)
  watchdog.unref()
}
