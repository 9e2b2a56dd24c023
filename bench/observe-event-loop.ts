// Loaded into the runtime's process with `--import`: measures its event loop and its heap, and reports them over IPC to
// the benchmark or the soak test.

import { monitorEventLoopDelay } from 'node:perf_hooks'

/** The histogram contains the time between two ticks of a timer, which includes this interval. */
const RESOLUTION_MS = 1

const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
const delayMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)

process.on('message', (message) => {
  if (message === 'reset') {
    histogram.reset()
    histogram.enable()
  }
  if (message === 'report') {
    histogram.disable()
    process.send?.({
      p50: delayMs(histogram.percentile(50)),
      p99: delayMs(histogram.percentile(99)),
      max: delayMs(histogram.max),
      heapBytes: process.memoryUsage().heapUsed,
    })
  }
})
process.channel?.unref()
