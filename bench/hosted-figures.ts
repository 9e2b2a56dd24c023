// Figures of the hosted service only: what a noop costs each part of it, ten effects in a row, and what a parked Execution
// takes in both stores.

import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openBench } from './boot.ts'
import { runSteps, writeEffectProject } from './effects.ts'
import { measureFairness, type Fairness } from './fairness.ts'
import { createHostedPeer, isReady, startServe, tokenOf } from './hosted-peer.ts'
import { callerOf } from './http.ts'
import { closedLoop, input, newId, newIds, sequential } from './load.ts'
import { fileBytes, processorTimes } from './machine.ts'
import type { Throughput } from './peer.ts'
import { killProcesses, pidsOf } from './processes.ts'
import { median } from './statistics.ts'
import { sleep } from './waiting.ts'
import { COMMAND_LINE, IN_TWO_REQUESTS, originOf } from './wes-peer.ts'
import { bootWarm, firstNoop, park, type RoundOptions } from './workloads.ts'

export type HostedFigures = {
  /** Processor time for one noop at 64 callers, in ms, by part. */
  processorMs?: Readonly<Record<string, number>>
  fairness?: Fairness
  effects?: { readonly tenP50Ms: number; readonly tenAt32: Throughput }
  /** In PostgreSQL's tables and indexes, and in Restate, in bytes for each of `n`. */
  parked?: { readonly n: number; readonly postgresBytes: number; readonly restateBytes: number }
}

export const measureHostedFigures = async (port: number, options: RoundOptions): Promise<HostedFigures> => {
  const { only, quick, dir } = options
  return {
    ...(only.includes('W1') && {
      processorMs: await processorTimePerNoop(port, quick, dir),
      fairness: await measureFairness(port, options),
    }),
    ...(only.includes('effects') && { effects: await tenEffects(port, quick, dir) }),
    ...(only.includes('W4') && { parked: await parkedBytes(port, quick ? 1_000 : 10_000, quick, dir) }),
  }
}

const partOf = (commandLine: string): string => {
  if (/restate-server/.test(commandLine)) return 'Restate'
  if (/postgres/.test(commandLine)) return 'PostgreSQL'
  if (/sandbox\/host-main/.test(commandLine)) return 'Program hosts'
  return 'API and worker'
}

const processorTimePerNoop = async (port: number, quick: boolean, dir: string) => {
  const bench = openBench(createHostedPeer(port), dir, quick)
  try {
    const api = await bench.boot({ fresh: true })
    await firstNoop(api)
    const times = () => processorTimes(pidsOf(bench.processes()), partOf)
    let before: ReadonlyMap<string, number> = new Map()
    const load = await closedLoop(
      {
        dir,
        callers: 64,
        warmUpMs: quick ? 1_000 : 3_000,
        countedMs: quick ? 3_000 : 10_000,
        onCounting: () => void (before = times()),
      },
      async () => api.extra?.[IN_TWO_REQUESTS]?.(newId('c'), input(1)),
    )
    const used = [...times()].map(([part, ms]) => [part, (ms - (before.get(part) ?? 0)) / load.done] as const)
    return Object.fromEntries(used)
  } finally {
    await bench.down()
  }
}

const tenEffects = async (port: number, quick: boolean, dir: string) => {
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  const project = join(dir, 'project')
  writeEffectProject(project)(0)
  const service = startServe(dir, port)
  try {
    await isReady(service)
    const headers = await tokenOf(service, dir)
    const token = headers['authorization']!.slice('Bearer '.length)
    const env = { ...process.env, SERVICE_TOKEN: token, SERVICE_API_BASE_URL: originOf(port) }
    execFileSync(process.execPath, [COMMAND_LINE, 'deploy', '--project', project], { env, stdio: 'ignore' })
    const call = callerOf(originOf(port), headers)
    const run = () => runSteps(call, 10)
    await sequential(quick ? 10 : 50, 20_000, run)
    const ten = await sequential(quick ? 30 : 150, 30_000, run)
    const tenAt32 = await closedLoop(
      { dir, callers: 32, warmUpMs: quick ? 500 : 2_000, countedMs: quick ? 2_000 : 10_000 },
      run,
    )
    return { tenP50Ms: median(ten), tenAt32 }
  } finally {
    await killProcesses([service])
  }
}

/** A checkpoint writes what has changed into the files of the tables. */
const CHECKPOINT_MS = 5_000

const parkedBytes = async (port: number, n: number, quick: boolean, dir: string) => {
  const bench = openBench(createHostedPeer(port), dir, quick)
  const sizes = () => ({
    postgres: fileBytes(join(dir, 'data/postgres/data/base')),
    restate: fileBytes(join(dir, 'data/restate')),
  })
  try {
    await bootWarm(bench, { fresh: true })
    await bench.down()
    const api = await bootWarm(bench, { fresh: false })
    const before = sizes()
    await park(api, newIds(n), 180_000)
    await sleep(CHECKPOINT_MS)
    const after = sizes()
    return {
      n,
      postgresBytes: (after.postgres - before.postgres) / n,
      restateBytes: (after.restate - before.restate) / n,
    }
  } finally {
    await bench.down()
  }
}
