// The child process in which Program code runs. It reads batches, runs them and answers; everything it knows is a cache.

import { existsSync } from 'node:fs'
import { createBudgets, loadWatch, type HostClocks, type HostRole } from './host-budgets.ts'
import { BOOT_FOLDER, readHostParts, type HostParts } from './host-parts.ts'
import { RUNNER_LIMITS } from './limits.ts'
import { createJob, createProgramRunner, type Job } from './program-runner.ts'
import { openHostChannel } from './host-channel.ts'
import type { ResultMessage } from './host-messages.ts'
import type { TurnBudgets } from './pool-limits.ts'
import type { ToHost } from './protocol.ts'

/** A long replay makes room for the others, and for new messages, this often. */
const SLICE_MS = 50
/** Results are told at once, or nearly: after a kill, those not told about are the suspects. */
const FLUSH_MS = 1
/** New messages are read at least this often. */
const LISTEN_MS = 10
/** Without work for so long, the host gives memory back. */
const REST_AFTER_MS = 5000

const clocks: HostClocks = {
  now: () => performance.now(),
  cpuMs: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
}

const { send, listen } = openHostChannel()
const role: HostRole = process.argv[2] === 'alone' ? 'alone' : 'shared'
const budgets = JSON.parse(process.argv[3] ?? '{}') as TurnBudgets
const queue: Job[] = []
let results: ResultMessage[] = []
let flushedAt = 0
let isScheduled = false
let isTidying = false

const loadParts = async (): Promise<HostParts> =>
  existsSync(BOOT_FOLDER) ? readHostParts(BOOT_FOLDER) : (await import('./make-host-parts.ts')).makeHostParts()

const runner = createProgramRunner(
  await loadParts(),
  RUNNER_LIMITS[role],
  createBudgets(role, budgets, clocks, () => queue.length > 0),
)

const resting = setTimeout(() => runner.rest(), REST_AFTER_MS)

const flush = (): void => {
  flushedAt = clocks.now()
  const told = results
  results = []
  send({ kind: 'results', results: told, next: queue[0]?.activation[0] ?? 0 })
}

const runSlice = (job: Job): void => {
  const startedAt = clocks.now()
  const result = runner.run(job, () => clocks.now() - startedAt < SLICE_MS)
  if (result === undefined) queue.push(job)
  else results.push(result)
}

const pump = (): void => {
  isScheduled = false
  const startedAt = clocks.now()
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    runSlice(job)
    const now = clocks.now()
    if (now - flushedAt > FLUSH_MS) flush()
    if (now - startedAt > LISTEN_MS && queue.length > 0) {
      schedule()
      return
    }
  }
  if (results.length > 0) flush()
  resting.refresh()
  tidy()
}

/** What need not be done while somebody waits. */
const tidy = (): void => {
  if (queue.length === 0 && !isTidying && runner.images.tidy()) {
    isTidying = true
    setImmediate(() => {
      isTidying = false
      tidy()
    })
  }
}

const schedule = (): void => {
  if (isScheduled) return
  isScheduled = true
  setImmediate(pump)
}

let hasWorked = false

const receive = (message: ToHost): void => {
  hasWorked = true
  switch (message.kind) {
    case 'run':
      for (const [versionId, code, sourceMap] of message.programs) runner.addProgram(versionId, code, sourceMap)
      for (const activation of message.batch) queue.push(createJob(activation))
      if (!isScheduled) pump()
      return
    case 'check': {
      const { sequence, code, sourceMap } = message
      send({ kind: 'checked', sequence, message: runner.check(code, sourceMap, loadWatch(budgets, clocks)) })
      return
    }
    case 'forget':
      for (const executionId of message.executionIds) runner.forget(executionId)
  }
}

listen(receive)
send({ kind: 'ready' })
setImmediate(() => {
  if (!hasWorked && role === 'shared') runner.warmUp()
})
