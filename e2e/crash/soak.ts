// Runs a mixed load on a real `wes dev`: `npm run soak -- --minutes 20`. Prints the resources that it uses each minute, and
// at the end whether they stayed flat. Deletes ended Executions each minute, so that the database can stay flat too.

import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient, type ServiceClient } from '#sdk/index.ts'
import { startRuntimeProcess, type RuntimeProcess } from '../runtime-process.test-support.ts'
import type { Acknowledged } from './check-journal.ts'
import { drive, faultsOf, inParallel, makeMixedProject, TALLY } from './mixed-load.ts'

const CALLERS = 8
/** The maximum number of unfinished Executions. */
const MOST = 400
/** The delay between two calls of a caller, for a steady load below the maximum. */
const PAUSE_MS = 20
const MINUTE_MS = 60_000
const MB = 1024 * 1024

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '20' } } })
const minutes = Number(values.minutes)
if (!Number.isInteger(minutes) || minutes < 1) throw new Error('--minutes must be a whole number from 1 on')

type Sample = {
  readonly minute: number
  readonly rssMb: number
  readonly heapMb: number
  readonly descriptors: number
  readonly loopP99Ms: number
  readonly loopMaxMs: number
  readonly databaseMb: number
  /** The time since the start. */
  readonly ended: number
}

/** Of the process and its children, the Program hosts and effect hosts. */
const residentMb = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  const below = children === '' ? [] : children.split(' ').map(Number)
  return (
    Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024 + below.reduce((sum, child) => sum + residentMb(child), 0)
  )
}

const tenth = (value: number): number => Math.round(value * 10) / 10

const sample = async (runtime: RuntimeProcess, minute: number, ended: number): Promise<Sample> => {
  const seen = await runtime.observe()
  const answer = await fetch(`${runtime.url()}/v1/runtime`)
  const { dataBytes } = (await answer.json()) as { dataBytes: number }
  return {
    minute,
    rssMb: Math.round(residentMb(runtime.pid())),
    heapMb: Math.round(seen.heapBytes / MB),
    descriptors: readdirSync(`/proc/${runtime.pid()}/fd`).length,
    loopP99Ms: tenth(seen.p99),
    loopMaxMs: tenth(seen.max),
    databaseMb: tenth(dataBytes / MB),
    ended,
  }
}

/** Checks and deletes ended Executions. Returns their number. */
const sweep = async (url: string, client: ServiceClient, started: Acknowledged[]): Promise<number> => {
  const ended = new Set<string>()
  await inParallel([...started], async (one) => {
    const { status } = await client.getExecution(one.id)
    if (status !== 'completed' && status !== 'failed' && status !== 'cancelled') return
    ended.add(one.id)
    const faults = await faultsOf(client, one)
    if (faults.length > 0) throw new Error(faults.join('\n'))
  })
  started.splice(0, started.length, ...started.filter(({ id }) => !ended.has(id)))
  await inParallel([...ended], async (id) => {
    const answer = await fetch(`${url}/v1/executions/${id}`, { method: 'DELETE' })
    if (answer.status !== 204) throw new Error(`Execution ${id} could not be deleted: ${answer.status}`)
  })
  return ended.size
}

const mean = (samples: readonly Sample[], member: keyof Sample): number =>
  samples.reduce((sum, one) => sum + one[member], 0) / samples.length

/** Each with the allowed growth from the middle third to the last third. */
const BOUNDS = [
  { member: 'rssMb', factor: 1.1, plus: 20 },
  { member: 'heapMb', factor: 1.25, plus: 10 },
  { member: 'descriptors', factor: 1, plus: 8 },
  { member: 'loopP99Ms', factor: 1.5, plus: 5 },
  { member: 'databaseMb', factor: 1.2, plus: 4 },
] as const

/** The figures that did not stay flat. The first third is for warming up. */
const rises = (samples: readonly Sample[]): readonly string[] => {
  const third = Math.floor(samples.length / 3)
  const middle = samples.slice(third, samples.length - third)
  const last = samples.slice(samples.length - Math.max(third, 1))
  return BOUNDS.flatMap(({ member, factor, plus }) => {
    const [was, is] = [mean(middle, member), mean(last, member)]
    return is <= was * factor + plus ? [] : [`${member} rose from ${tenth(was)} to ${tenth(is)}`]
  })
}

const soak = async (runtime: RuntimeProcess): Promise<readonly Sample[]> => {
  const client = createClient({ url: runtime.url() })
  await client.deployProgram(TALLY)
  while ((await client.getProgram('mixed').catch(() => undefined))?.runnable !== true) await sleep(100)
  const started: Acknowledged[] = []
  const samples: Sample[] = []
  let ended = 0
  await runtime.observe()
  for (let minute = 1; minute <= minutes; minute++) {
    const until = Date.now() + MINUTE_MS
    const isOn = () => Date.now() < until
    const load = {
      client,
      started,
      programs: ['tally', 'mixed'],
      most: MOST,
      isOn,
      pause: () => sleep(PAUSE_MS),
    } as const
    await Promise.all(Array.from({ length: CALLERS }, () => drive(load)))
    ended += await sweep(runtime.url(), client, started)
    samples.push(await sample(runtime, minute, ended))
    console.log(JSON.stringify(samples.at(-1)))
  }
  return samples
}

const project = makeMixedProject()
const runtime = await startRuntimeProcess({ project: project.folder, observed: true })
try {
  const found = rises(await soak(runtime))
  console.log(found.length === 0 ? 'flat' : `not flat: ${found.join('; ')}`)
  if (found.length > 0) process.exitCode = 1
} finally {
  await runtime.dispose()
  project.dispose()
}
