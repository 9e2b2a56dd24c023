// The child process in which Program code runs. It reads batches, runs them and answers. Everything in its memory is a
// cache.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { forgetOldest } from '../shared/forget-oldest.ts'
import { checkWatch, createWatches, type HostClocks, type HostRole } from './turn-watches.ts'
import { BOOT_FOLDER, readHostParts, type HostParts } from './host-parts.ts'
import { createJobQueue, isAnnounced } from './job-queue.ts'
import { RUNNER_LIMITS } from './limits.ts'
import type * as MakeHostParts from './make-host-parts.ts'
import { measureSlowness } from './measure-slowness.ts'
import { createJob, createProgramRunner, type Job } from './program-runner.ts'
import { openHostChannel } from './host-channel.ts'
import type { ResultMessage } from './host-messages.ts'
import type { TurnBudgets } from './pool-limits.ts'
import { LARGE_CHARS, type ActivationMessage, type ToHost } from './protocol.ts'

/** A long replay pauses this often, for other jobs and new messages. */
const SLICE_MS = 50
/** Results are sent at least this often. */
const FLUSH_MS = 1
/** New messages are read at least this often. */
const LISTEN_MS = 10
/** After this long without work, the host frees memory. */
const SHRINK_AFTER_MS = 2000
const MOST_ABANDONED = 1000
/** The runtime is told which jobs took this long, in time and in processor time: the system may have kept a short one waiting. */
const LONG_MS = 10

type Held = [sequence: number, ms: number]

const clocks: HostClocks = {
  now: () => performance.now(),
  cpuMs: () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  },
}

const { send, sendLarge, listen } = openHostChannel()
const role: HostRole = process.argv[2] === 'alone' ? 'alone' : 'shared'
const budgets = JSON.parse(process.argv[3] ?? '{}') as TurnBudgets
const queue = createJobQueue()
let results: ResultMessage[] = []
let held: Held[] = []
/** The processor time as it was at some time, which is read again when that is long ago: reading it for each job is too expensive. */
let cpuAt = 0
let cpuMs = 0
let flushedAt = 0
let isScheduled = false
let wasLong = false
let slowness = 1
/** How many messages with small results it has sent. */
let told = 0
/** By version and by tenant: the message that tells the runtime that a turn of it was abandoned. */
const abandonedIn = new Map<string, number>()

/** Without `await`, so that a build can make a script of this module. */
const makeParts = (): HostParts =>
  (createRequire(import.meta.url)('./make-host-parts.ts') as typeof MakeHostParts).makeHostParts()

const runner = createProgramRunner(
  existsSync(BOOT_FOLDER) ? readHostParts(BOOT_FOLDER) : makeParts(),
  RUNNER_LIMITS[role],
  createWatches(role, budgets, clocks, () => slowness),
  // Of long turns the processor time, because they run with a lower priority; reading it for each short one is too expensive.
  role === 'alone' ? clocks.cpuMs : clocks.now,
)
// Only hosts that run one Execution need it.
if (role === 'alone') slowness = measureSlowness(clocks.now)

/** Only a garbage collection frees the memory of a slot, and an idle host does not begin one by itself. */
const shrinking = setTimeout(() => {
  if (runner.shrink()) globalThis.gc?.()
}, SHRINK_AFTER_MS)

const flush = (next: Job | undefined): void => {
  flushedAt = clocks.now()
  const message = { results, running: next?.activation[0] ?? 0, ...(held.length > 0 && { held }) }
  results = []
  held = []
  told += 1
  send({ kind: 'results', ...message })
}

/**
 * Sends back the other jobs of the version, and those of the tenant whose code has not proven quick: they may take as long, and
 * the runtime decides where they run. Does the same with those that the runtime has already sent and this process has not read
 * yet, or each message would cost another turn.
 */
const sendBack = (abandoned: Job): void => {
  const [, , , , versionId, , , , tenant] = abandoned.activation
  for (const key of [versionId, tenant]) abandonedIn.set(key, told + 1)
  forgetOldest(abandonedIn, MOST_ABANDONED)
  for (const job of queue.takeAll(tenant)) {
    if (job.position === 0 && mayTakeAsLong(job, told)) results.push([job.activation[0], 'sent_back'])
    else queue.add(job)
  }
}

/** `heard`: when the runtime sent it. */
const mayTakeAsLong = (job: Job, heard: number): boolean => {
  const [, , , , versionId, , , , tenant] = job.activation
  const isUnheard = (key: string): boolean => heard < (abandonedIn.get(key) ?? 0)
  return isUnheard(versionId) || (isAnnounced(job) && isUnheard(tenant))
}

const enqueue = (batch: readonly ActivationMessage[], heard: number): void => {
  for (const activation of batch) {
    const job = createJob(activation)
    // What was abandoned is kept for later messages: a large one was sent before small ones that passed it.
    if (mayTakeAsLong(job, heard)) results.push([activation[0], 'sent_back'])
    else queue.add(job)
  }
}

const isLarge = (result: ResultMessage): boolean =>
  result[1] === 'ran' && result[2].reduce((chars, text) => chars + text.length, 0) > LARGE_CHARS

const readCpu = (now: number): void => {
  cpuAt = now
  cpuMs = clocks.cpuMs()
}

/** At most one. */
const heldBy = (job: Job, startedAt: number): Held[] => {
  const now = clocks.now()
  if (now - startedAt < LONG_MS) return []
  // At most so much of it was used before this job.
  const before = cpuMs + startedAt - cpuAt
  readCpu(now)
  return cpuMs - before < LONG_MS ? [] : [[job.activation[0], now - startedAt]]
}

const runSlice = (job: Job): void => {
  const startedAt = clocks.now()
  if (startedAt - cpuAt > LONG_MS) readCpu(startedAt)
  const result = runner.run(job, () => clocks.now() - startedAt < SLICE_MS)
  const byJob = heldBy(job, startedAt)
  if (result !== undefined && isLarge(result)) {
    // The runtime knows no more of the job once it has the result.
    return sendLarge({ kind: 'results', results: [result], held: byJob })
  }
  held.push(...byJob)
  if (result === undefined) return queue.add(job)
  results.push(result)
  if (result[1] === 'abandoned') sendBack(job)
}

const pump = (): void => {
  isScheduled = false
  const startedAt = clocks.now()
  // Nothing waits to be sent but what was just read.
  flushedAt = startedAt
  let wasAnnounced = false
  for (let job = queue.take(); job !== undefined; job = queue.take()) {
    // Announce the job that follows an announced one too: its silence must not be blamed on the one before.
    if (isAnnounced(job) || wasAnnounced || clocks.now() - flushedAt > FLUSH_MS) flush(job)
    wasAnnounced = isAnnounced(job)
    runSlice(job)
    if (clocks.now() - startedAt > LISTEN_MS && queue.size > 0) {
      flush(undefined)
      return schedule()
    }
  }
  flush(undefined)
  shrinking.refresh()
  wasLong = clocks.now() - startedAt > LISTEN_MS
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
      for (const program of message.programs) runner.addProgram(...program)
      enqueue(message.batch, message.heard)
      if (isScheduled) return
      // What has arrived during long work is all read before the next job is chosen.
      if (wasLong) schedule()
      else pump()
      return
    case 'check': {
      const { sequence, code, sourceMap } = message
      send({ kind: 'checked', sequence, message: runner.check(code, sourceMap, checkWatch(budgets, clocks, slowness)) })
      return
    }
    case 'forget':
      for (const executionId of message.executionIds) runner.forget(executionId)
  }
}

listen(receive)
send({ kind: 'ready', slowness })
setImmediate(() => {
  if (!hasWorked && role === 'shared') runner.warmUp()
})
