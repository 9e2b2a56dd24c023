// Loaded into the runtime's process before anything else (`--import`): measures its event loop and its heap, and says what
// it saw when the bench or the soak asks over IPC. The runtime itself knows nothing of it.

import { monitorEventLoopDelay } from 'node:perf_hooks'

/** The histogram holds the time between two ticks of a timer of this length, so that much of it is no delay. */
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
