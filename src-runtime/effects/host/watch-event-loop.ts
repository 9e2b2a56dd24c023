// Reports what blocks the event loop while it is blocked: the watchdog pauses the main thread, as a debugger does, and
// makes it report the attempt and the code's location.

import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { EffectHostLimits } from '../effect-host-limits.ts'
import { BEATS, CELLS_BYTES, REPORT_BLOCKED, type WatchdogData } from './watchdog-data.ts'

const BEAT_MS = 250
/** Beside this module, in the sources as in a bundle. */
const WATCHDOG = join(import.meta.dirname, `effect-watchdog${extname(import.meta.filename)}`)

export type WatchEventLoop = (options: {
  readonly limits: EffectHostLimits
  /** Called while the main thread is paused inside the blocking code. */
  readonly report: () => void
  /** Called regularly while the event loop runs. */
  readonly onBeat: () => void
}) => void

/** Where a host may not start threads. The runtime notices a blocked host by its silence, without its code's location. */
export const watchWithoutThread: WatchEventLoop = ({ onBeat }) => void setInterval(onBeat, BEAT_MS).unref()

export const watchWithThread =
  (own: Pick<WatchdogData, 'leadsGroup' | 'mark'>): WatchEventLoop =>
  ({ limits, report, onBeat }) => {
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
      ...own,
      memoryMb: limits.memoryMb,
      // Slightly before the runtime notices.
      blockedAfterMs: limits.blockedAfterMs * 0.75,
    }
    // Without the watchdog, the runtime still watches the host.
    try {
      const watchdog = new Worker(WATCHDOG, {
        workerData,
        // Without the project's preloaded modules and settings.
        env: {},
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
      })
      watchdog.on('error', () => undefined)
      watchdog.unref()
    } catch {
      // The system has no thread left.
    }
  }
