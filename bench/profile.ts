// `npm run bench:profile`: the processor time that one Execution costs each process of the local runtime, and where that
// time goes. Processor time depends little on what else runs on the machine.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../scripts/whole-number.ts'
import { writeEffectProject } from './effects.ts'
import { drawFlameGraph } from './flame-graph.ts'
import { callerOf, dropPools } from './http.ts'
import { input, newId, spread } from './load.ts'
import { diskCounters, processorTimes, processTree } from './machine.ts'
import type { PeerApi } from './peer.ts'
import { endWithUs, killProcesses, pidsOf, refuseTakenPorts } from './processes.ts'
import { functionOfStack, partOfStack, readProfile, sumBy, type CpuProfile, type Sampled } from './profiles.ts'
import { percentile } from './statistics.ts'
import { sleep, until } from './waiting.ts'
import { apiOf, deployAll, IN_TWO_REQUESTS, noneStarted, originOf, startWes } from './wes-peer.ts'

const PORT = 23_479
const RESULTS = join(import.meta.dirname, 'results')
const DATA = join(RESULTS, 'profile-data')
const PROFILER = join(import.meta.dirname, 'profiler.ts')
const PARTS_SHOWN = 16
const FUNCTIONS_SHOWN = 25

const WORKS = ['noop', 'two-requests', 'ten', 'effects'] as const
type Work = (typeof WORKS)[number]

const USAGE = `npm run bench:profile -- [--work=${WORKS.join('|')}] [--callers=64] [--count=N] [--flames]

  --work=…     noop: one request each; two-requests: the same with a second request for the result; ten: ten durable
               timers in a row; effects: ten effects in a row
  --callers=N  callers in a closed loop (default: 64)
  --count=N    Executions to count (default: 10000, or 1500 of ten steps); a third of them are run first, to warm up
  --flames     also record CPU profiles: prints where the time goes, and draws flame graphs in bench/results/flames`

type Options = { readonly work: Work; readonly callers: number; readonly count: number; readonly flames: boolean }

const readOptions = (args: readonly string[]): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      work: { type: 'string', default: 'noop' },
      callers: { type: 'string', default: '64' },
      count: { type: 'string' },
      flames: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(USAGE)
    process.exit(0)
  }
  const work = WORKS.find((one) => one === values.work)
  if (work === undefined) throw new Error(`--work takes ${WORKS.join(', ')}, not ${values.work}`)
  const count = values.count ?? (work === 'ten' || work === 'effects' ? '1500' : '10000')
  return {
    work,
    callers: wholeNumber('callers', values.callers),
    count: wholeNumber('count', count),
    flames: values.flames,
  }
}

const runOf = (api: PeerApi, work: Work): (() => Promise<unknown>) => {
  const call = callerOf(originOf(PORT))
  switch (work) {
    case 'noop':
      return () => api.run('noop', newId('n'), input(1))
    case 'two-requests':
      return async () => api.extra?.[IN_TWO_REQUESTS]?.(newId('n'), input(1))
    case 'ten':
      return () => api.run('ten', newId('t'), input(1))
    case 'effects':
      return async () => {
        const body = { programId: 'steps', input: { steps: 10 } }
        const ended = (await call('POST', '/v1/executions', body, { prefer: 'wait=30' })) as { status: string }
        if (ended.status !== 'completed') throw new Error(JSON.stringify(ended))
      }
  }
}

const partOfProcess = (commandLine: string): string => {
  if (/sandbox\/host-main/.test(commandLine)) return 'Program host'
  if (/effects\/effect-host/.test(commandLine)) return 'effect host'
  if (/source\/evaluator-main|esbuild/.test(commandLine)) return 'compiler'
  return 'runtime'
}

type Cost = {
  /** Processor time for one Execution, in ms, by process. */
  readonly processorMs: ReadonlyMap<string, number>
  readonly perSec: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly flushesEach: number
}

/** `around` gets the processes and runs what is counted. */
const measure = async (
  { work, callers, count }: Options,
  preload: string | undefined,
  around: (pids: readonly number[], counted: () => Promise<void>) => Promise<void>,
): Promise<Cost> => {
  rmSync(DATA, { recursive: true, force: true })
  mkdirSync(DATA, { recursive: true })
  if (work === 'effects') writeEffectProject(join(DATA, 'project'))(0)
  await refuseTakenPorts([PORT])
  const running = startWes(DATA, PORT, preload)
  try {
    const call = callerOf(originOf(PORT))
    await until(async () => (await call('GET', '/healthz')) !== null, { what: 'healthz' })
    await deployAll(call)
    const run = runOf(apiOf(call, noneStarted()), work)
    await until(async () => (await run()) !== null, { every: 20, what: 'the first Execution' })
    await spread(Math.ceil(count / 3), callers, run)
    const times = () => processorTimes(pidsOf([running]), partOfProcess)
    const latencies: number[] = []
    let cost: Cost | undefined
    await around(processTree(pidsOf([running])), async () => {
      const before = times()
      const clientBefore = process.cpuUsage()
      const disk = diskCounters(DATA)
      const from = performance.now()
      await spread(count, callers, async () => {
        const sentAt = performance.now()
        await run()
        latencies.push(performance.now() - sentAt)
      })
      const elapsedMs = performance.now() - from
      const client = process.cpuUsage(clientBefore)
      const used = [...times()].map(([part, ms]) => [part, (ms - (before.get(part) ?? 0)) / count] as const)
      cost = {
        processorMs: new Map([...used, ['client', (client.user + client.system) / 1_000 / count]]),
        perSec: (count / elapsedMs) * 1_000,
        p50Ms: percentile(latencies, 50),
        p99Ms: percentile(latencies, 99),
        flushesEach: (diskCounters(DATA).flushes - disk.flushes) / count,
      }
    })
    if (cost === undefined) throw new Error('nothing was counted')
    return cost
  } finally {
    await dropPools()
    await killProcesses([running])
    rmSync(DATA, { recursive: true, force: true })
  }
}

const describeCost = ({ work, callers, count }: Options, cost: Cost): string => {
  const { processorMs, perSec, p50Ms, p99Ms, flushesEach } = cost
  const parts = [...processorMs].filter(([, ms]) => ms > 0).map(([part, ms]) => `${part} ${ms.toFixed(3)}`)
  return [
    `${work}, ${callers} callers, ${count} Executions`,
    `processor time of each, ms: ${parts.join(', ')}`,
    `${perSec.toFixed(0)}/s, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, ${flushesEach.toFixed(3)} flushes each`,
  ].join('\n')
}

/** Resolves when every process has written its profile. */
const recordProfiles = async (options: Options, folder: string): Promise<void> => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const preload = `${pathToFileURL(PROFILER).href}?folder=${encodeURIComponent(folder)}`
  await measure(options, preload, async (pids, counted) => {
    const signal = () => {
      for (const pid of pids) if (isProfiled(pid)) process.kill(pid, 'SIGUSR2')
    }
    signal()
    await counted()
    signal()
    const expected = pids.filter(isProfiled).length
    const written = async () => readdirSync(folder).length >= expected
    await until(written, { every: 50, limit: 30_000, what: 'the profiles' })
    await sleep(500) // until the last of them is complete
  })
}

/** A signal would end other processes, such as the compiler's. */
const isProfiled = (pid: number): boolean => {
  try {
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return commandLine.includes('bench/profiler.ts')
  } catch {
    return false
  }
}

const NAMES: Readonly<Record<string, string>> = {
  wes: 'runtime',
  'host-main': 'Program host',
  'effect-host': 'effect host',
}

const readSamples = (folder: string): ReadonlyMap<string, readonly Sampled[]> => {
  const found = new Map<string, readonly Sampled[]>()
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
    const name = NAMES[file.replace(/-\d+\.cpuprofile$/, '')]
    if (name === undefined) continue
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile
    found.set(name, [...(found.get(name) ?? []), ...readProfile(profile)])
  }
  return found
}

const table = (title: string, rows: readonly { readonly name: string; readonly us: number }[], count: number): string =>
  [
    `| ${title} | µs each |`,
    '| --- | ---: |',
    ...rows.map(({ name, us }) => `| ${name} | ${(us / count).toFixed(1)} |`),
  ].join('\n')

const describeProfiles = (options: Options, folder: string): void => {
  const { work, callers, count } = options
  for (const [name, sampled] of readSamples(folder)) {
    const file = join(folder, `${work}-${name.replace(' ', '-')}.svg`)
    writeFileSync(file, drawFlameGraph(`${name}: ${work}, ${callers} callers`, sampled))
    const total = sampled.reduce((sum, { us }) => sum + us, 0)
    console.log(`\n${name}: ${(total / count).toFixed(0)} µs each, drawn in ${file}\n`)
    console.log(table('part', sumBy(sampled, partOfStack).slice(0, PARTS_SHOWN), count))
    console.log(`\n${table('function', sumBy(sampled, functionOfStack).slice(0, FUNCTIONS_SHOWN), count)}`)
  }
}

const options = readOptions(process.argv.slice(2))
endWithUs()
console.log(describeCost(options, await measure(options, undefined, async (_pids, counted) => counted())))
if (options.flames) {
  const folder = join(RESULTS, 'flames', options.work)
  await recordProfiles(options, folder)
  describeProfiles(options, folder)
}
