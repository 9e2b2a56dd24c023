// A thread of the effect host that works while the main thread is blocked. It makes the main thread report what blocks
// it, and ends the process when it uses too much memory or the runtime has died.

import { writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { performance } from 'node:perf_hooks'
import { workerData } from 'node:worker_threads'
import { isAlive } from '../../shared/is-alive.ts'
import { BEATS, killOwnProcess, REPORT_BLOCKED, type WatchdogData } from './watchdog-data.ts'

const TICK_MS = 250
/** If this thread was not woken for this long, the machine slept. */
const SLEPT_MS = 1_000
const MB = 1_000_000

const data = workerData as WatchdogData
const { shared, parentPid, memoryMb, blockedAfterMs } = data
const cells = new Int32Array(shared)
let beats = 0
let changedAt = performance.now()
let tickAt = changedAt
/** Reports once per block. */
let looked = false

setInterval(() => {
  endIfOrphaned()
  endIfTooLarge()
  const now = performance.now()
  const current = Atomics.load(cells, BEATS)
  const moved = current !== beats || now - tickAt > SLEPT_MS
  beats = current
  tickAt = now
  if (moved) {
    changedAt = now
    looked = false
  } else if (!looked && now - changedAt > blockedAfterMs) {
    looked = true
    stopAndReport()
  }
}, TICK_MS)

/** For a blocked main thread, which does not notice that the runtime died. Windows keeps the number of a parent that is gone. */
function endIfOrphaned(): void {
  if (process.ppid !== parentPid || !isAlive(parentPid)) killOwnProcess(data)
}

function endIfTooLarge(): void {
  const usedMb = Math.round(process.memoryUsage.rss() / MB)
  if (usedMb <= memoryMb) return
  try {
    writeSync(2, `[effect host] uses ${usedMb} MB of memory, more than ${memoryMb} MB\n`)
  } finally {
    killOwnProcess(data)
  }
}

/** In native code the main thread stops only when that returns; until then it cannot report. */
function stopAndReport(): void {
  const session = new Session()
  session.connectToMainThread()
  session.on('Debugger.paused', ({ params }) => {
    const callFrameId = params.callFrames[0]?.callFrameId
    const goOn = () => session.post('Debugger.resume', () => session.disconnect())
    if (callFrameId === undefined) return goOn()
    const expression = `globalThis[Symbol.for(${JSON.stringify(REPORT_BLOCKED)})]()`
    session.post('Debugger.evaluateOnCallFrame', { callFrameId, expression }, goOn)
  })
  session.post('Debugger.enable')
  session.post('Debugger.pause')
}
