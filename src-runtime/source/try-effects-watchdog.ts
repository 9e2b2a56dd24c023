// Ends the process that tries effects when the build that started it is gone: the effects may loop for ever as they load, and
// their thread then notices nothing.

import { workerData } from 'node:worker_threads'
import { isAlive } from '../shared/is-alive.ts'

const LOOK_MS = 250

const parent = workerData as number

// Windows names a parent that is gone.
setInterval(() => {
  if (process.ppid !== parent || !isAlive(parent)) process.kill(process.pid, 'SIGKILL')
}, LOOK_MS)
