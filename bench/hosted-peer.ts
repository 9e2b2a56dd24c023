// The hosted service, started with `wes serve`, as a peer: PostgreSQL and Restate of its own, callers with a token.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callerOf, type Call } from './http.ts'
import type { BenchProcess, Peer } from './peer.ts'
import { killProcesses, startProcess } from './processes.ts'
import { until } from './waiting.ts'
import { apiOf, COMMAND_LINE, deployAll, noneStarted, originOf, versionOf } from './wes-peer.ts'

export const createHostedPeer = (port: number): Peer => {
  let call: Call = callerOf(originOf(port))
  let started = noneStarted()
  const boot: Peer['boot'] = async (dir, { fresh }) => {
    const running = startServe(dir, port)
    try {
      if (fresh) {
        started = noneStarted()
        await isReady(running)
        call = callerOf(originOf(port), await tokenOf(running, dir))
        await deployAll(call)
      } else call = callerOf(originOf(port), keptToken(dir))
    } catch (error) {
      await killProcesses([running])
      throw error
    }
    return { procs: [running], urls: {} }
  }
  return {
    name: 'wes serve',
    what: 'wes serve: API and worker in one process, PostgreSQL and Restate of its own, client over HTTP with a token',
    ports: [port],
    versions: () => ({ wes: versionOf() }),
    boot,
    api: () => apiOf(call, started),
  }
}

const LIMITS = { default: { requestsPerSecond: 1_000_000, requestBurst: 1_000_000, turnsAtOnce: 1_000 } }

export const startServe = (dir: string, port: number, limits: 'default' | 'none' = 'none'): BenchProcess => {
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'limits.json')
  writeFileSync(file, JSON.stringify(LIMITS))
  const flags = ['--port', String(port), '--hooks-port', '0', '--data-dir', join(dir, 'data')]
  const limited = limits === 'none' ? ['--limits', file] : []
  return startProcess([COMMAND_LINE, 'serve', ...flags, ...limited], { cwd: dir })
}

export const isReady = (running: BenchProcess): Promise<unknown> =>
  until(async () => running.tail.includes('hooks http'), { every: 5, limit: 60_000, what: 'the line hooks' })

/** It is printed at the first start only, and kept for later ones. */
export const tokenOf = async (running: BenchProcess, dir: string): Promise<Readonly<Record<string, string>>> => {
  const printed = () => /^token (\S+)$/m.exec(running.tail)?.[1]
  await until(async () => printed() !== undefined, { every: 5, limit: 10_000, what: 'the line token' })
  writeFileSync(join(dir, 'token'), printed()!)
  return keptToken(dir)
}

const keptToken = (dir: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${readFileSync(join(dir, 'token'), 'utf8')}`,
})
