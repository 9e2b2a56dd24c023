// The hosted service as it runs in production: PostgreSQL, one Restate node or three, and `wes serve` in its roles. Each is
// a process of its own that can be killed, paused and started again.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '#hosted/boot/embedded-postgres.ts'
import { startRestateNode } from '#hosted/boot/restate-node.ts'
import type { RestateCluster, RestatePorts } from '#hosted/boot/restate-environment.ts'
import { pause, processTree, type PausedProcesses } from './process-tree.ts'

export const WES = join(import.meta.dirname, '../../../src-cli/wes.mjs')
/** The service itself asks Restate and PostgreSQL for a minute before it gives up; a busy machine needs time besides. */
const READY_LIMIT_MS = 180_000
const TRY_AGAIN_MS = 300

export type Part = {
  readonly name: string
  /** Starts it, and waits until it is ready. Tries again if a process that it depends on is away. */
  start(): Promise<void>
  /** kill -9 */
  kill(): Promise<void>
  /** SIGTERM, as a deployment does. */
  stop(): Promise<void>
  pause(): void
  resume(): void
  /** Of its process and of those that it started; none while it does not run. */
  pids(): readonly number[]
  /** It has ended by itself. */
  readonly crash: string | undefined
  /** Everything that it printed. */
  readonly logFile: string
}

type Running = {
  readonly pid: number
  readonly ended: Promise<unknown>
  stop(): Promise<unknown>
}

const createPart = (
  name: string,
  logFile: string,
  begin: () => Promise<Running>,
  /** Whether a pause must reach the processes that it started, because they work without it. */
  isTree: boolean,
): Part => {
  let running: Running | undefined
  let paused: PausedProcesses | undefined
  let crash: string | undefined
  const forget = (): Running | undefined => {
    const was = running
    running = undefined
    return was
  }
  return {
    name,
    logFile,
    get crash() {
      return crash
    },
    pids: () => (running === undefined ? [] : processTree(running.pid)),
    start: async () => {
      const deadline = Date.now() + READY_LIMIT_MS
      for (;;) {
        try {
          const begun = await begin()
          running = begun
          void begun.ended.then(() => {
            if (running === begun) crash ??= `${name} ended by itself; ${logFile} may say why`
          })
          return
        } catch (error) {
          if (Date.now() > deadline) throw error
          await sleep(TRY_AGAIN_MS)
        }
      }
    },
    kill: async () => {
      const was = forget()
      if (was === undefined) return
      process.kill(was.pid, 'SIGKILL')
      await was.ended
    },
    stop: async () => {
      await forget()?.stop()
    },
    pause: () => {
      if (running !== undefined) paused = pause(isTree ? processTree(running.pid) : [running.pid])
    },
    resume: () => {
      paused?.resume()
      paused = undefined
    },
  }
}

export const postgresPart = (folder: string, port: number, onOwnerUrl: (url: string) => void): Part =>
  createPart(
    'postgres',
    join(folder, 'postgres.log'),
    async () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const postgres = await startEmbeddedPostgres({ folder, port })
      onOwnerUrl(postgres.ownerUrl)
      return postgres
    },
    true,
  )

export const restatePart = (name: string, folder: string, ports: RestatePorts, cluster?: RestateCluster): Part =>
  createPart(
    name,
    join(folder, 'restate.log'),
    () => startRestateNode({ folder, ports, ...(cluster !== undefined && { cluster }) }),
    false,
  )

/** `onLine` gets each line of its standard output; with the first one it is ready. */
export const wesPart = (
  name: string,
  options: {
    readonly folder: string
    readonly args: readonly string[]
    readonly env: Readonly<Record<string, string>>
    readonly onLine?: (line: string) => void
  },
): Part => {
  const logFile = join(options.folder, `${name}.log`)
  return createPart(name, logFile, () => startWes(name, logFile, options), false)
}

const startWes = async (
  name: string,
  logFile: string,
  { args, env, onLine }: Parameters<typeof wesPart>[1],
): Promise<Running> => {
  const log = openSync(logFile, 'a')
  const from = statSync(logFile).size
  const child = spawn(process.execPath, [WES, ...args], {
    stdio: ['ignore', 'pipe', log],
    env: { ...process.env, CI: 'true', ...env },
  })
  closeSync(log)
  const ended = once(child, 'exit')
  const late = setTimeout(() => child.kill('SIGKILL'), READY_LIMIT_MS)
  try {
    await untilFirstLine(child, onLine)
  } catch {
    throw new Error(`${name} ended before it was ready: ${readFileSync(logFile, 'utf8').slice(from).slice(-2_000)}`)
  } finally {
    clearTimeout(late)
  }
  return {
    pid: child.pid!,
    ended,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** It prints all lines of its start at once. */
const untilFirstLine = (child: ChildProcess, onLine: (line: string) => void = () => {}): Promise<void> =>
  new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! })
      .on('line', (line) => {
        onLine(line)
        resolve()
      })
      .on('close', () => reject(new Error('it ended')))
  })
