// Runs a mixed load on a real `wes dev`: `npm run soak -- --minutes 20`. Prints the resources that it uses each minute, and
// at the end whether they stayed flat. Deletes ended Executions each minute, so that the database can stay flat too. With
// `--hosted`, on a real hosted service.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient, type ServiceClient } from '#sdk/index.ts'
import { startRuntimeProcess, type RuntimeProcess } from '../runtime-process.test-support.ts'
import type { Acknowledged } from './check-journal.ts'
import { processTree } from './hosted/process-tree.ts'
import { soakHosted } from './hosted/soak.ts'
import { drive, faultsOf, inParallel, makeMixedProject, TALLY } from './mixed-load.ts'
import { descriptorsOf, MB, residentMb, rises, tenth, type Bound } from './soak-figures.ts'
import { wholeNumber } from '../../scripts/whole-number.ts'

const CALLERS = 8
/** The maximum number of unfinished Executions. */
const MOST = 400
/** The delay between two calls of a caller, for a steady load below the maximum. */
const PAUSE_MS = 20
const MINUTE_MS = 60_000

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '20' }, hosted: { type: 'boolean', default: false } },
})
const minutes = wholeNumber('minutes', values.minutes)

type Sample = {
  readonly minute: number
  readonly rssMb: number
  readonly heapMb: number
  readonly descriptors: number
  readonly loopP99Ms: number
  readonly loopMaxMs: number
  readonly databaseMb: number
  /** Executions since the start. */
  readonly ended: number
}

const sample = async (runtime: RuntimeProcess, minute: number, ended: number): Promise<Sample> => {
  const seen = await runtime.observe()
  const answer = await fetch(`${runtime.url()}/v1/runtime`)
  const { dataBytes } = (await answer.json()) as { dataBytes: number }
  return {
    minute,
    // Its Program hosts and effect hosts among them.
    rssMb: residentMb(processTree(runtime.pid())),
    heapMb: Math.round(seen.heapBytes / MB),
    descriptors: descriptorsOf(runtime.pid()),
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

const BOUNDS: Readonly<Partial<Record<keyof Sample, Bound>>> = {
  rssMb: { factor: 1.1, plus: 20 },
  heapMb: { factor: 1.25, plus: 10 },
  descriptors: { factor: 1, plus: 8 },
  loopP99Ms: { factor: 1.5, plus: 5 },
  databaseMb: { factor: 1.2, plus: 4 },
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

const soakLocal = async (): Promise<readonly string[]> => {
  const project = makeMixedProject()
  const runtime = await startRuntimeProcess({ project: project.folder, observed: true })
  try {
    return rises(await soak(runtime), BOUNDS)
  } finally {
    await runtime.dispose()
    project.dispose()
  }
}

const found = await (values.hosted ? soakHosted(minutes) : soakLocal())
console.log(found.length === 0 ? 'flat' : `not flat: ${found.join('; ')}`)
process.exit(found.length === 0 ? 0 : 1)
